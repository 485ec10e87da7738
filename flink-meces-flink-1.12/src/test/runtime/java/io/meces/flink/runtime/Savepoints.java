// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.ExecutionEnvironment;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.state.memory.MemoryStateBackend;
import org.apache.flink.state.api.ExistingSavepoint;
import org.apache.flink.state.api.OperatorTransformation;
import org.apache.flink.state.api.Savepoint;
import org.apache.flink.state.api.functions.KeyedStateBootstrapFunction;
import org.apache.flink.state.api.functions.KeyedStateReaderFunction;

/** Savepoints of jobs that tests have submitted, and what is in them. */
public final class Savepoints {

    private Savepoints() {}

    /** Takes one, as any Flink can restore it; where it is. */
    public static CompletableFuture<String> take(
            MiniCluster cluster, JobID job, String folder, boolean cancel) {
        return cluster.triggerSavepoint(job, folder, cancel);
    }

    /** Takes one and stops the job, whose time does not end. */
    public static CompletableFuture<String> stop(MiniCluster cluster, JobID job, String folder) {
        return cluster.stopWithSavepoint(job, folder, false);
    }

    /** What a function tells of the keys of an operator, of several subtasks at a time. */
    public static <T> List<T> readKeyed(
            String savepoint, String operator, KeyedStateReaderFunction<Integer, T> reader)
            throws Exception {
        return load(savepoint).readKeyedState(operator, reader).collect();
    }

    /** The elements of list state, which may be state of which each subtask gets all. */
    public static <T> List<T> readList(
            String savepoint, String operator, String name, boolean union, TypeInformation<T> type)
            throws Exception {
        ExistingSavepoint loaded = load(savepoint);
        return (union
                        ? loaded.readUnionState(operator, name, type)
                        : loaded.readListState(operator, name, type))
                .collect();
    }

    private static ExistingSavepoint load(String savepoint) throws Exception {
        ExecutionEnvironment env = ExecutionEnvironment.createLocalEnvironment(3);
        return Savepoint.load(env, savepoint, new MemoryStateBackend());
    }

    /** Writes one of an operator whose keys are the numbers below a bound. */
    public static void write(
            String savepoint,
            String operator,
            int maxParallelism,
            int keys,
            KeyedStateBootstrapFunction<Integer, Integer> writer)
            throws Exception {
        ExecutionEnvironment env = ExecutionEnvironment.createLocalEnvironment(2);
        Savepoint.create(new MemoryStateBackend(), maxParallelism)
                .withOperator(
                        operator,
                        OperatorTransformation.bootstrapWith(
                                        env.generateSequence(0, keys - 1)
                                                .map(Long::intValue)
                                                .returns(Types.INT))
                                .keyBy((KeySelector<Integer, Integer>) key -> key, Types.INT)
                                .transform(writer))
                .write(savepoint);
        env.execute();
    }
}
