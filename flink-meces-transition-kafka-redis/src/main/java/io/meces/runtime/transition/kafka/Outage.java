// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.transition.kafka;

import java.util.ArrayList;
import java.util.List;
import javax.annotation.Nullable;
import org.apache.kafka.common.KafkaException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Says once when something fails and once when it works again. The first failure of a server is not
 * worth a word: a connection that the server closed is made anew by the next attempt. Any other
 * failure is said at once. Thread-safe.
 */
final class Outage {

    private static final Logger LOG = LoggerFactory.getLogger(Outage.class);

    private final String what;
    private final Runnable onRecovery;
    private int failures;

    /** Null: nothing was said of a failure. */
    @Nullable private String reason;

    /**
     * @param what is said to fail
     * @param onRecovery run each time when it works again
     */
    Outage(String what, Runnable onRecovery) {
        this.what = what;
        this.onRecovery = onRecovery;
    }

    /** Returns how often it has failed in a row. */
    synchronized int failed(Throwable failure) {
        failures++;
        boolean ofServer = failure instanceof KafkaException || failure instanceof JedisException;
        if (reason == null && !ofServer) {
            LOG.error("{} fails in a way that was not foreseen; going on trying.", what, failure);
        } else if (reason == null && failures > 1) {
            LOG.warn("{} fails at the moment; going on trying: {}", what, causes(failure));
            LOG.debug("The reason", failure);
        }
        if (failures > 1 || !ofServer) {
            reason = what + " fails: " + causes(failure);
        }
        return failures;
    }

    private static String causes(Throwable failure) {
        List<String> causes = new ArrayList<>();
        for (Throwable t = failure; t != null; t = t.getCause()) {
            causes.add(t.toString());
        }
        return String.join(", caused by ", causes);
    }

    void succeeded() {
        boolean recovered;
        synchronized (this) {
            recovered = reason != null;
            failures = 0;
            reason = null;
        }
        if (recovered) {
            LOG.info("{} works again.", what);
            onRecovery.run();
        }
    }

    /** What fails, and why; null: nothing that is worth a word. */
    @Nullable
    synchronized String reason() {
        return reason;
    }
}
