// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.shuffle;

import io.meces.core.command.StepMoves;
import io.meces.core.plan.VertexLayout;
import org.apache.flink.runtime.io.network.api.writer.SubtaskStateMapper;
import org.apache.flink.runtime.plugable.SerializationDelegate;
import org.apache.flink.streaming.runtime.partitioner.ConfigurableStreamPartitioner;
import org.apache.flink.streaming.runtime.partitioner.KeyGroupStreamPartitioner;
import org.apache.flink.streaming.runtime.partitioner.StreamPartitioner;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * Routes a record by its key-group and a table that changes with each step of a rescale. Flink's
 * own partitioner determines the key-group: set up for as many channels as there are key-groups,
 * that is what it selects.
 *
 * <p>Used by the thread that emits; for a legacy source that holds the checkpoint lock, as does the
 * mail that changes the table.
 */
public final class ElasticPartitioner<T> extends StreamPartitioner<T>
        implements ConfigurableStreamPartitioner {
    private static final long serialVersionUID = 1L;

    private final KeyGroupStreamPartitioner<T, ?> keyGroups;
    private final int output;
    private transient int[] owners;

    /**
     * @param output the index of the edge among the outputs of its vertex
     */
    public ElasticPartitioner(KeyGroupStreamPartitioner<T, ?> keyGroups, int output) {
        this.keyGroups = keyGroups;
        this.output = output;
    }

    @Override
    public void configure(int maxParallelism) {
        keyGroups.configure(maxParallelism);
        keyGroups.setup(maxParallelism);
    }

    @Override
    public void setup(int channels) {
        super.setup(channels);
        TaskLinks.OutputLink link = TaskLinks.ofConstructedTask().outputs().get(output);
        VertexLayout consumer = link == null ? null : link.elasticity().consumer();
        if (consumer == null) {
            throw new IllegalStateException(
                    "Output " + output + " does not lead to an elastic vertex.");
        }
        owners = consumer.owners();
        link.setPartitioner(this);
    }

    /** From now on the key-groups that move in a step go to their new owners. */
    public void apply(StepMoves moves) {
        for (int i = 0; i < moves.size(); i++) {
            if (owners[moves.keyGroup(i)] != moves.from(i)) {
                throw new IllegalStateException(
                        "Key-group "
                                + moves.keyGroup(i)
                                + " belongs to subtask "
                                + owners[moves.keyGroup(i)]
                                + "; it cannot be moved from "
                                + moves.from(i));
            }
            owners[moves.keyGroup(i)] = moves.to(i);
        }
    }

    @Override
    public int selectChannel(SerializationDelegate<StreamRecord<T>> record) {
        return owners[keyGroups.selectChannel(record)];
    }

    @Override
    public StreamPartitioner<T> copy() {
        return this;
    }

    @Override
    public SubtaskStateMapper getDownstreamSubtaskStateMapper() {
        return keyGroups.getDownstreamSubtaskStateMapper();
    }

    /** Of the interface of Flink 1.13 and later, hence without {@code @Override}. */
    public boolean isPointwise() {
        return false;
    }

    @Override
    public String toString() {
        return "HASH";
    }
}
