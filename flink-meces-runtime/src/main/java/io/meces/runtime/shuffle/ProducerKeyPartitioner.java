// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.shuffle;

import org.apache.flink.runtime.io.network.api.writer.SubtaskStateMapper;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.plugable.SerializationDelegate;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.streaming.runtime.partitioner.StreamPartitioner;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * Routes the results of an elastic vertex to one that is not, in place of a pointwise partitioner:
 * by the key that the producer processes while it emits the record. Results of a key so go to one
 * subtask, whichever subtask of the producer has the key: to that which a pointwise exchange would
 * choose if the producer had never been rescaled.
 *
 * <p>A record that is emitted for no key goes to the subtask with the index of the producer.
 *
 * <p>Owned by the task thread.
 */
public final class ProducerKeyPartitioner<T> extends StreamPartitioner<T> {
    private static final long serialVersionUID = 1L;

    private final OperatorID keyed;
    private final int maxParallelism;
    private transient ProducerKey key;

    /**
     * @param keyed the operator that has the key: the last keyed one before the output in the chain
     * @param maxParallelism of the producer
     */
    public ProducerKeyPartitioner(OperatorID keyed, int maxParallelism) {
        this.keyed = keyed;
        this.maxParallelism = maxParallelism;
    }

    @Override
    public void setup(int channels) {
        super.setup(channels);
        key = TaskLinks.ofConstructedTask().addProducerKey(keyed);
    }

    @Override
    public int selectChannel(SerializationDelegate<StreamRecord<T>> record) {
        int keyGroup = key.keyGroup();
        return keyGroup == ProducerKey.NONE
                ? key.subtask() % numberOfChannels
                : KeyGroupRangeAssignment.computeOperatorIndexForKeyGroup(
                        maxParallelism, numberOfChannels, keyGroup);
    }

    @Override
    public StreamPartitioner<T> copy() {
        return this;
    }

    @Override
    public SubtaskStateMapper getDownstreamSubtaskStateMapper() {
        return SubtaskStateMapper.ROUND_ROBIN;
    }

    /** Of the interface of Flink 1.13 and later, hence without {@code @Override}. */
    public boolean isPointwise() {
        return false;
    }

    @Override
    public String toString() {
        return "KEY OF PRODUCER";
    }
}
