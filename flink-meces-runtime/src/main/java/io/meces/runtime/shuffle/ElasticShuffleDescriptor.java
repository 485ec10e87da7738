// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.shuffle;

import io.meces.flink.runtime.PartitionConnections;
import java.util.function.Supplier;
import org.apache.flink.runtime.shuffle.NettyShuffleDescriptor;
import org.apache.flink.runtime.shuffle.ShuffleDescriptor;

/**
 * Netty's descriptor of a partition, and what is elastic about it.
 *
 * <p>On the JobManager it shows the state of the moment; what is serialised into the deployment of
 * a task is the state of that moment, and stays.
 */
public final class ElasticShuffleDescriptor extends NettyShuffleDescriptor {
    private static final long serialVersionUID = 1L;

    private final NettyShuffleDescriptor netty;
    private final transient Supplier<PartitionElasticity> now;
    private final PartitionElasticity then;

    ElasticShuffleDescriptor(NettyShuffleDescriptor netty, Supplier<PartitionElasticity> now) {
        this(netty, now, null);
    }

    private ElasticShuffleDescriptor(
            NettyShuffleDescriptor netty,
            Supplier<PartitionElasticity> now,
            PartitionElasticity then) {
        super(
                netty.storesLocalResourcesOn()
                        .orElseThrow(() -> new IllegalStateException("no producer location")),
                PartitionConnections.of(netty),
                netty.getResultPartitionID());
        this.netty = netty;
        this.now = now;
        this.then = then;
    }

    PartitionElasticity elasticity() {
        return now != null ? now.get() : then;
    }

    /** Flink's Netty shuffle wants exactly its own class of descriptor. */
    static ShuffleDescriptor unwrap(ShuffleDescriptor descriptor) {
        return descriptor instanceof ElasticShuffleDescriptor
                ? ((ElasticShuffleDescriptor) descriptor).netty
                : descriptor;
    }

    private Object writeReplace() {
        return now == null ? this : new ElasticShuffleDescriptor(netty, null, now.get());
    }
}
