// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import org.apache.flink.runtime.taskmanager.NettyShuffleEnvironmentConfiguration;

/** How many buffers a result partition may have. Immutable. */
public final class BufferLimits {

    /** For each subpartition that is in use. */
    public final int perSubpartition;

    /** Besides. */
    public final int floating;

    /** How large the buffers of a subpartition are, until its consumer says otherwise. */
    public final int firstSize;

    final int mostPerSubpartition;
    final int mostOverdraft;

    /**
     * @param mostPerSubpartition buffers that may be in use for one
     */
    public BufferLimits(int perSubpartition, int floating, int mostPerSubpartition) {
        this(perSubpartition, floating, mostPerSubpartition, 0, Integer.MAX_VALUE);
    }

    private BufferLimits(
            int perSubpartition,
            int floating,
            int mostPerSubpartition,
            int mostOverdraft,
            int firstSize) {
        this.perSubpartition = perSubpartition;
        this.floating = floating;
        this.mostPerSubpartition = mostPerSubpartition;
        this.mostOverdraft = mostOverdraft;
        this.firstSize = firstSize;
    }

    public static BufferLimits of(NettyShuffleEnvironmentConfiguration configuration) {
        return new BufferLimits(
                configuration.networkBuffersPerChannel(),
                configuration.floatingNetworkBuffersPerGate(),
                configuration.getMaxBuffersPerChannel(),
                configuration.getMaxOverdraftBuffersPerGate(),
                BufferSizes.first(configuration));
    }
}
