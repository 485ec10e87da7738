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

package io.meces.runtime.graph;

import io.meces.runtime.task.MecesMultipleInputStreamTask;
import io.meces.runtime.task.MecesOneInputStreamTask;
import io.meces.runtime.task.MecesSourceOperatorStreamTask;
import io.meces.runtime.task.MecesSourceStreamTask;
import io.meces.runtime.task.MecesTwoInputStreamTask;
import java.util.HashMap;
import java.util.Map;
import org.apache.flink.runtime.jobgraph.JobVertex;
import org.apache.flink.runtime.jobgraph.tasks.AbstractInvokable;
import org.apache.flink.streaming.runtime.tasks.MultipleInputStreamTask;
import org.apache.flink.streaming.runtime.tasks.OneInputStreamTask;
import org.apache.flink.streaming.runtime.tasks.SourceOperatorStreamTask;
import org.apache.flink.streaming.runtime.tasks.SourceStreamTask;
import org.apache.flink.streaming.runtime.tasks.TwoInputStreamTask;

/** The tasks that stand for those of Flink in and next to an elastic vertex. */
final class ElasticTasks {

    private static final Map<Class<?>, Class<? extends AbstractInvokable>> TASKS = new HashMap<>();

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
        vertex.setInvokableClass(TASKS.get(vertex.getInvokableClass(userCode)));
    }
}
