// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.graph;

import io.meces.flink.runtime.JobGraphs;
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
import org.apache.flink.util.DynamicCodeLoadingException;

/** The state backend that a job gets. */
final class JobStateBackend {

    private JobStateBackend() {}

    /**
     * That of the job, or else that of the cluster, or else Flink's default. Ours takes the place
     * of one of Flink's that keeps state on the heap, and another jar of ours that of what it can,
     * wherever these are chosen.
     */
    static StateBackend of(JobGraph graph, Configuration cluster, ClassLoader userCode)
            throws IOException {
        try {
            StateBackend fromCode = fromCode(graph, userCode);
            StateBackend backend = JobGraphs.stateBackend(fromCode, graph, cluster, userCode);
            StateBackend ours = inPlaceOf(backend, fromCode, graph, cluster, userCode);
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

    /**
     * Null if there is none, or nobody wants one.
     *
     * @param backend with the configuration applied
     * @param fromCode as the job has it, or null if it has none
     */
    @Nullable
    private static StateBackend inPlaceOf(
            StateBackend backend,
            @Nullable StateBackend fromCode,
            JobGraph graph,
            Configuration cluster,
            ClassLoader userCode) {
        if (backend instanceof ElasticStateBackend) {
            return backend;
        }
        ElasticStateBackend heap = MecesStateBackend.inPlaceOf(backend, cluster, userCode);
        if (heap != null) {
            return cluster.get(MecesOptions.REPLACE_HEAP_BACKENDS) ? heap : null;
        }
        if (!cluster.get(MecesOptions.REPLACE_ROCKSDB_BACKENDS)) {
            return null;
        }
        if (fromCode == null) {
            Configuration job = JobGraphs.configuration(graph);
            return takeOver(takeover -> takeover.ofConfiguration(backend, cluster, job));
        }
        // Flink may wrap it
        return backend.getClass() == fromCode.getClass()
                ? takeOver(takeover -> takeover.ofCode(fromCode, cluster))
                : null;
    }

    @Nullable
    private static StateBackend takeOver(Function<StateBackendTakeover, ElasticStateBackend> how) {
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
}
