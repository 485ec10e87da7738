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

import io.meces.runtime.MecesOptions;
import io.meces.state.MecesStateBackend;
import java.io.IOException;
import javax.annotation.Nullable;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobgraph.tasks.JobCheckpointingSettings;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.StateBackendLoader;
import org.apache.flink.util.DynamicCodeLoadingException;

/** The state backend that a job gets. */
final class JobStateBackend {

    private JobStateBackend() {}

    /**
     * That of the job, or else that of the cluster. If that of the cluster is ours, it also takes
     * the place of one of Flink's heap backends in the code of the job.
     */
    static StateBackend of(JobGraph graph, Configuration cluster, ClassLoader userCode)
            throws IOException {
        try {
            StateBackend fromCode = fromCode(graph, userCode);
            StateBackend backend =
                    StateBackendLoader.fromApplicationOrConfigOrDefault(
                            fromCode, cluster, userCode, null);
            if (fromCode == null || !cluster.get(MecesOptions.REPLACE_HEAP_BACKENDS)) {
                return backend;
            }
            MecesStateBackend ours = MecesStateBackend.inPlaceOf(backend);
            return ours != null && isOurs(cluster, userCode)
                    ? ours.configure(cluster, userCode)
                    : backend;
        } catch (ClassNotFoundException | DynamicCodeLoadingException e) {
            throw new IOException("Cannot read the state backend of the job", e);
        }
    }

    @Nullable
    private static StateBackend fromCode(JobGraph graph, ClassLoader userCode)
            throws IOException, ClassNotFoundException {
        JobCheckpointingSettings settings = graph.getCheckpointingSettings();
        return settings == null || settings.getDefaultStateBackend() == null
                ? null
                : settings.getDefaultStateBackend().deserializeValue(userCode);
    }

    private static boolean isOurs(Configuration cluster, ClassLoader userCode)
            throws IOException, DynamicCodeLoadingException {
        return StateBackendLoader.loadStateBackendFromConfig(cluster, userCode, null)
                instanceof MecesStateBackend;
    }
}
