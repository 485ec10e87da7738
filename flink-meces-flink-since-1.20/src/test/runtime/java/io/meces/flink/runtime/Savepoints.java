// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;
import org.apache.flink.state.api.OperatorIdentifier;
import org.apache.flink.state.api.OperatorTransformation;
import org.apache.flink.state.api.SavepointReader;
import org.apache.flink.state.api.SavepointWriter;
import org.apache.flink.state.api.functions.KeyedStateBootstrapFunction;
import org.apache.flink.state.api.functions.KeyedStateReaderFunction;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.CloseableIterator;

/** Savepoints of jobs that tests have submitted, and what is in them. */
public final class Savepoints {

    private Savepoints() {}

    /** Takes one, as any Flink can restore it; where it is. */
    public static CompletableFuture<String> take(
            MiniCluster cluster, JobID job, String folder, boolean cancel) {
        return take(cluster, job, folder, cancel, SavepointFormatType.CANONICAL);
    }

    /** Takes one in a format that this line has. */
    public static CompletableFuture<String> take(
            MiniCluster cluster,
            JobID job,
            String folder,
            boolean cancel,
            SavepointFormatType format) {
        return cluster.triggerSavepoint(job, folder, cancel, format);
    }

    /** Takes one and stops the job, whose time does not end. */
    public static CompletableFuture<String> stop(MiniCluster cluster, JobID job, String folder) {
        return cluster.stopWithSavepoint(job, folder, false, SavepointFormatType.CANONICAL);
    }

    /** What a function tells of the keys of an operator, of several subtasks at a time. */
    public static <T> List<T> readKeyed(
            String savepoint, String operator, KeyedStateReaderFunction<Integer, T> reader)
            throws Exception {
        return collect(load(savepoint).readKeyedState(OperatorIdentifier.forUid(operator), reader));
    }

    /** The elements of list state, which may be state of which each subtask gets all. */
    public static <T> List<T> readList(
            String savepoint, String operator, String name, boolean union, TypeInformation<T> type)
            throws Exception {
        OperatorIdentifier uid = OperatorIdentifier.forUid(operator);
        SavepointReader loaded = load(savepoint);
        return collect(
                union
                        ? loaded.readUnionState(uid, name, type)
                        : loaded.readListState(uid, name, type));
    }

    private static SavepointReader load(String savepoint) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.createLocalEnvironment(3);
        return SavepointReader.read(env, savepoint, new HashMapStateBackend());
    }

    private static <T> List<T> collect(DataStream<T> read) throws Exception {
        List<T> all = new ArrayList<>();
        try (CloseableIterator<T> results = read.executeAndCollect()) {
            results.forEachRemaining(all::add);
        }
        return all;
    }

    /** Writes one of an operator whose keys are the numbers below a bound. */
    public static void write(
            String savepoint,
            String operator,
            int maxParallelism,
            int keys,
            KeyedStateBootstrapFunction<Integer, Integer> writer)
            throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.createLocalEnvironment(2);
        SavepointWriter.newSavepoint(env, new HashMapStateBackend(), maxParallelism)
                .withOperator(
                        OperatorIdentifier.forUid(operator),
                        OperatorTransformation.bootstrapWith(
                                        env.fromSequence(0, keys - 1)
                                                .map(Long::intValue)
                                                .returns(Types.INT))
                                .keyBy((KeySelector<Integer, Integer>) key -> key, Types.INT)
                                .transform(writer))
                .write(savepoint);
        env.execute();
    }
}
