/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
 * in compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License
 * is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
 * or implied. See the License for the specific language governing permissions and limitations under
 * the License.
 */

package io.meces.runtime.transition.kafka;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says once when a server is away and once when it is back. The first failure is not worth a word:
 * a connection that the server closed is made anew by the next attempt. Thread-safe.
 */
final class Outage {

    private static final Logger LOG = LoggerFactory.getLogger(Outage.class);

    private final String server;
    private final Runnable onRecovery;
    private int failures;

    /**
     * @param server what is said to be away
     * @param onRecovery run each time when it is back
     */
    Outage(String server, Runnable onRecovery) {
        this.server = server;
        this.onRecovery = onRecovery;
    }

    /** Returns how often it has failed in a row. */
    synchronized int failed(Exception reason) {
        failures++;
        if (failures == 2) {
            LOG.warn("{} cannot be used at the moment; going on trying: {}", server, "" + reason);
            LOG.debug("The reason", reason);
        }
        return failures;
    }

    void succeeded() {
        boolean recovered;
        synchronized (this) {
            recovered = failures > 1;
            failures = 0;
        }
        if (recovered) {
            LOG.info("{} can be used again.", server);
            onRecovery.run();
        }
    }
}
