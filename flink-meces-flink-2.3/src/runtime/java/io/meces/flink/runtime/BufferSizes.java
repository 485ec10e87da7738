// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import org.apache.flink.runtime.taskmanager.NettyShuffleEnvironmentConfiguration;

/** How large buffers are. */
final class BufferSizes {

    private BufferSizes() {}

    /** Those of a subpartition whose consumer has not said anything: on this line few bytes. */
    static int first(NettyShuffleEnvironmentConfiguration configuration) {
        return configuration.startingBufferSize();
    }
}
