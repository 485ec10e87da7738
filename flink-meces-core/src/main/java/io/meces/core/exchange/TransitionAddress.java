// SPDX-License-Identifier: Apache-2.0
package io.meces.core.exchange;

import java.io.Serializable;
import java.util.Objects;
import java.util.UUID;
import javax.annotation.Nullable;

/**
 * The address of a TaskManager's transition service: a host and a port, or a partition of a message
 * broker that all know. Two addresses are equal if they are of the same service, by whatever host
 * name it is reached.
 */
public final class TransitionAddress implements Serializable {
    private static final long serialVersionUID = 1L;

    private final UUID service;

    /** Null for a partition. */
    @Nullable private final String host;

    private final int number;

    /** The address of a new service that is reached directly. */
    public TransitionAddress(String host, int port) {
        this(UUID.randomUUID(), Objects.requireNonNull(host), port);
    }

    private TransitionAddress(UUID service, @Nullable String host, int number) {
        this.service = service;
        this.host = host;
        this.number = number;
    }

    /** The address of a new service that is reached by a broker. */
    public static TransitionAddress ofPartition(int partition) {
        return new TransitionAddress(UUID.randomUUID(), null, partition);
    }

    /**
     * The same service, as others reach it: what it is bound to is often all interfaces, which
     * means something else on another machine. A partition is the same for all.
     */
    public TransitionAddress reachedAt(String externalHost) {
        return host == null ? this : new TransitionAddress(service, externalHost, number);
    }

    /** Null if the service is reached by a broker. */
    @Nullable
    public String host() {
        return host;
    }

    /**
     * The TCP port.
     *
     * @throws IllegalStateException if the service is reached by a broker
     */
    public int port() {
        check(host != null);
        return number;
    }

    /**
     * The partition.
     *
     * @throws IllegalStateException if the service is reached directly
     */
    public int partition() {
        check(host == null);
        return number;
    }

    private void check(boolean condition) {
        if (!condition) {
            throw new IllegalStateException("another kind of address: " + this);
        }
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
        return host == null ? "partition " + number : host + ":" + number;
    }
}
