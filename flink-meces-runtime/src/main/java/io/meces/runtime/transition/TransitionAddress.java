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
import java.util.UUID;

/**
 * The address of a TaskManager's transition service. Two addresses are equal if they are of the
 * same service, by whatever host name it is reached.
 */
public final class TransitionAddress implements Serializable {
    private static final long serialVersionUID = 1L;

    private final UUID service;
    private final String host;
    private final int port;

    /** The address of a new service. */
    public TransitionAddress(String host, int port) {
        this(UUID.randomUUID(), host, port);
    }

    private TransitionAddress(UUID service, String host, int port) {
        this.service = service;
        this.host = Objects.requireNonNull(host);
        this.port = port;
    }

    /**
     * The same service, as others reach it: what it is bound to is often all interfaces, which
     * means something else on another machine.
     */
    public TransitionAddress reachedAt(String externalHost) {
        return new TransitionAddress(service, externalHost, port);
    }

    public String host() {
        return host;
    }

    public int port() {
        return port;
    }

    @Override
    public boolean equals(Object o) {
        return o instanceof TransitionAddress && ((TransitionAddress) o).service.equals(service);
    }

    @Override
    public int hashCode() {
        return service.hashCode();
    }

    @Override
    public String toString() {
        return host + ":" + port;
    }
}
