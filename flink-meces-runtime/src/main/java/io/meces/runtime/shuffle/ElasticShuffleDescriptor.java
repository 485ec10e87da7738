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

package io.meces.runtime.shuffle;

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
                new ConnectionInfo(netty),
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

    private static final class ConnectionInfo implements PartitionConnectionInfo {
        private static final long serialVersionUID = 1L;
        private final NettyShuffleDescriptor netty;

        ConnectionInfo(NettyShuffleDescriptor netty) {
            this.netty = netty;
        }

        @Override
        public org.apache.flink.runtime.io.network.ConnectionID getConnectionId() {
            return netty.getConnectionId();
        }
    }
}
