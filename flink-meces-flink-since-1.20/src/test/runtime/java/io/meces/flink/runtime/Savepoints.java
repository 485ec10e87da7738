// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import java.util.concurrent.CompletableFuture;
import org.apache.flink.api.common.JobID;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.minicluster.MiniCluster;

/** Savepoints of jobs that tests have submitted. */
public final class Savepoints {

    private Savepoints() {}

    /** Takes one, as any Flink can restore it; where it is. */
    public static CompletableFuture<String> take(
            MiniCluster cluster, JobID job, String folder, boolean cancel) {
        return cluster.triggerSavepoint(job, folder, cancel, SavepointFormatType.CANONICAL);
    }

    /** Takes one and stops the job, whose time does not end. */
    public static CompletableFuture<String> stop(MiniCluster cluster, JobID job, String folder) {
        return cluster.stopWithSavepoint(job, folder, false, SavepointFormatType.CANONICAL);
    }
}
