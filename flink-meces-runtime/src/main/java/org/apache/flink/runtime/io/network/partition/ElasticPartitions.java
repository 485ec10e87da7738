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

package org.apache.flink.runtime.io.network.partition;

/**
 * Bridge: activates and deactivates subpartitions of a result partition. Except for {@link
 * #install}, which comes before the task runs, the task thread calls everything.
 */
public final class ElasticPartitions {

    private ElasticPartitions() {}

    /**
     * @param active subpartitions 0..active-1 have a consumer
     * @param owner is kept reachable as long as the partition is
     */
    public static void install(ResultPartition partition, int active, Object owner) {
        ResultSubpartition[] subpartitions = subpartitions(partition);
        for (int i = 0; i < subpartitions.length; i++) {
            subpartitions[i] = new ElasticSubpartition(i, partition, i < active, owner);
        }
    }

    /** From now on what is written to the subpartition is kept for its consumer. */
    public static void activate(ResultPartition partition, int subpartition) {
        elastic(partition, subpartition).activate();
    }

    /** Throws away what the former consumer left and makes room for another one. */
    public static void reset(ResultPartition partition, int subpartition) {
        ElasticSubpartition old = elastic(partition, subpartition);
        subpartitions(partition)[subpartition] = old.successor();
        old.release();
    }

    /** Nothing that is written from now on reaches a consumer. */
    public static void mute(ResultPartition partition) {
        for (int i = 0; i < subpartitions(partition).length; i++) {
            elastic(partition, i).deactivate();
        }
    }

    /** Finishes what is half written, so that a subpartition can be switched. */
    public static void finishBuilders(ResultPartition partition) {
        ((BufferWritingResultPartition) partition).flushAllSubpartitions(true);
    }

    private static ElasticSubpartition elastic(ResultPartition partition, int subpartition) {
        return (ElasticSubpartition) subpartitions(partition)[subpartition];
    }

    private static ResultSubpartition[] subpartitions(ResultPartition partition) {
        return ((BufferWritingResultPartition) partition).subpartitions;
    }
}
