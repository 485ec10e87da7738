// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.graph;

import io.meces.flink.runtime.JobGraphs;
import io.meces.runtime.task.MecesMultipleInputStreamTask;
import io.meces.runtime.task.MecesOneInputStreamTask;
import io.meces.runtime.task.MecesSourceOperatorStreamTask;
import io.meces.runtime.task.MecesSourceStreamTask;
import io.meces.runtime.task.MecesTwoInputStreamTask;
import java.util.HashMap;
import java.util.Map;
import org.apache.flink.runtime.jobgraph.JobVertex;
import org.apache.flink.streaming.runtime.tasks.MultipleInputStreamTask;
import org.apache.flink.streaming.runtime.tasks.OneInputStreamTask;
import org.apache.flink.streaming.runtime.tasks.SourceOperatorStreamTask;
import org.apache.flink.streaming.runtime.tasks.SourceStreamTask;
import org.apache.flink.streaming.runtime.tasks.TwoInputStreamTask;

/** The tasks that stand for those of Flink in and next to an elastic vertex. */
final class ElasticTasks {

    private static final Map<Class<?>, Class<?>> TASKS = new HashMap<>();

    static {
        TASKS.put(SourceStreamTask.class, MecesSourceStreamTask.class);
        TASKS.put(SourceOperatorStreamTask.class, MecesSourceOperatorStreamTask.class);
        TASKS.put(OneInputStreamTask.class, MecesOneInputStreamTask.class);
        TASKS.put(TwoInputStreamTask.class, MecesTwoInputStreamTask.class);
        TASKS.put(MultipleInputStreamTask.class, MecesMultipleInputStreamTask.class);
    }

    private ElasticTasks() {}

    static boolean haveOneFor(JobVertex vertex, ClassLoader userCode) {
        return TASKS.containsKey(vertex.getInvokableClass(userCode));
    }

    static void putInto(JobVertex vertex, ClassLoader userCode) {
        JobGraphs.setTask(vertex, TASKS.get(vertex.getInvokableClass(userCode)));
    }
}
