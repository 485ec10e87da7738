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
import io.meces.state.ElasticStateBackend;
import io.meces.state.MecesStateBackend;
import io.meces.state.StateBackendTakeover;
import java.io.IOException;
import java.util.ServiceLoader;
import java.util.function.Function;
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
     * the place of one of Flink's heap backends in the code of the job. What another jar of ours
     * can take the place of, wherever it is chosen, it does.
     */
    static StateBackend of(JobGraph graph, Configuration cluster, ClassLoader userCode)
            throws IOException {
        try {
            StateBackend fromCode = fromCode(graph, userCode);
            StateBackend backend =
                    StateBackendLoader.fromApplicationOrConfigOrDefault(
                            fromCode, cluster, userCode, null);
            if (backend instanceof ElasticStateBackend) {
                return backend;
            }
            StateBackend ours =
                    fromCode == null
                            ? inPlaceOfConfigured(backend, cluster)
                            : inPlaceOfCode(fromCode, backend, cluster, userCode);
            return ours == null ? backend : ours;
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

    @Nullable
    private static StateBackend inPlaceOfCode(
            StateBackend fromCode,
            StateBackend configured,
            Configuration cluster,
            ClassLoader userCode)
            throws IOException, DynamicCodeLoadingException {
        MecesStateBackend heap = MecesStateBackend.inPlaceOf(configured);
        if (heap != null) {
            return cluster.get(MecesOptions.REPLACE_HEAP_BACKENDS) && isOurs(cluster, userCode)
                    ? heap.configure(cluster, userCode)
                    : null;
        }
        return takeOver(cluster, takeover -> takeover.ofCode(fromCode, cluster));
    }

    @Nullable
    private static ElasticStateBackend inPlaceOfConfigured(
            StateBackend configured, Configuration cluster) {
        return takeOver(cluster, takeover -> takeover.ofConfiguration(configured, cluster));
    }

    @Nullable
    private static ElasticStateBackend takeOver(
            Configuration cluster, Function<StateBackendTakeover, ElasticStateBackend> how) {
        if (!cluster.get(MecesOptions.REPLACE_ROCKSDB_BACKENDS)) {
            return null;
        }
        for (StateBackendTakeover takeover :
                ServiceLoader.load(
                        StateBackendTakeover.class, StateBackendTakeover.class.getClassLoader())) {
            ElasticStateBackend ours = how.apply(takeover);
            if (ours != null) {
                return ours;
            }
        }
        return null;
    }

    private static boolean isOurs(Configuration cluster, ClassLoader userCode)
            throws IOException, DynamicCodeLoadingException {
        StateBackend configured =
                StateBackendLoader.loadStateBackendFromConfig(cluster, userCode, null);
        return configured instanceof ElasticStateBackend
                || configured != null && inPlaceOfConfigured(configured, cluster) != null;
    }
}
