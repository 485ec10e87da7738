// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import java.net.InetSocketAddress;
import org.apache.flink.runtime.io.network.ConnectionID;
import org.apache.flink.runtime.shuffle.NettyShuffleDescriptor;
import org.apache.flink.runtime.shuffle.NettyShuffleDescriptor.PartitionConnectionInfo;

/** How the producer of a partition is reached. Pure. */
public final class PartitionConnections {

    private PartitionConnections() {}

    /** As a descriptor says. */
    public static PartitionConnectionInfo of(NettyShuffleDescriptor netty) {
        return new Same(netty.getConnectionId());
    }

    private static final class Same implements PartitionConnectionInfo {
        private static final long serialVersionUID = 1L;

        private final ConnectionID connection;

        Same(ConnectionID connection) {
            this.connection = connection;
        }

        @Override
        public InetSocketAddress getAddress() {
            return connection.getAddress();
        }

        @Override
        public int getConnectionIndex() {
            return connection.getConnectionIndex();
        }
    }
}
