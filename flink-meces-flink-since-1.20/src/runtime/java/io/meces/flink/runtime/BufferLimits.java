// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import org.apache.flink.runtime.taskmanager.NettyShuffleEnvironmentConfiguration;

/** How many buffers a result partition may have. Immutable. */
public final class BufferLimits {

    /** For each subpartition that is in use. */
    public final int perSubpartition;

    /** Besides. */
    public final int floating;

    final int mostPerSubpartition;
    final int mostOverdraft;

    /**
     * @param mostPerSubpartition buffers that may be in use for one
     */
    public BufferLimits(int perSubpartition, int floating, int mostPerSubpartition) {
        this(perSubpartition, floating, mostPerSubpartition, 0);
    }

    private BufferLimits(
            int perSubpartition, int floating, int mostPerSubpartition, int mostOverdraft) {
        this.perSubpartition = perSubpartition;
        this.floating = floating;
        this.mostPerSubpartition = mostPerSubpartition;
        this.mostOverdraft = mostOverdraft;
    }

    public static BufferLimits of(NettyShuffleEnvironmentConfiguration configuration) {
        return new BufferLimits(
                configuration.networkBuffersPerChannel(),
                configuration.floatingNetworkBuffersPerGate(),
                configuration.getMaxBuffersPerChannel(),
                configuration.getMaxOverdraftBuffersPerGate());
    }
}
