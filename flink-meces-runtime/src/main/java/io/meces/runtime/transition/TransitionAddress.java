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

package io.meces.runtime.transition;

import java.io.Serializable;
import java.util.Objects;

/** The address of a TaskManager's transition service. */
public final class TransitionAddress implements Serializable {
    private static final long serialVersionUID = 1L;

    private final String host;
    private final int port;

    public TransitionAddress(String host, int port) {
        this.host = Objects.requireNonNull(host);
        this.port = port;
    }

    public String host() {
        return host;
    }

    public int port() {
        return port;
    }

    @Override
    public boolean equals(Object o) {
        return o instanceof TransitionAddress
                && ((TransitionAddress) o).host.equals(host)
                && ((TransitionAddress) o).port == port;
    }

    @Override
    public int hashCode() {
        return Objects.hash(host, port);
    }

    @Override
    public String toString() {
        return host + ":" + port;
    }
}
