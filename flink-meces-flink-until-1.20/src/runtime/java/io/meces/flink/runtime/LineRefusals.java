// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import javax.annotation.Nullable;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobgraph.JobVertex;

/** What only some lines of Flink have, and no rescale can be combined with: nothing. Pure. */
public final class LineRefusals {

    private LineRefusals() {}

    /** Why the job cannot be rescaled; null if it can. */
    @Nullable
    public static String ofJob(JobGraph graph, Configuration cluster) {
        return null;
    }

    /**
     * Why a job with that vertex, in or next to one that changes, cannot be rescaled.
     *
     * @param onHeap whether its state is there
     */
    @Nullable
    public static String ofVertex(JobVertex vertex, boolean onHeap, ClassLoader userCode) {
        return null;
    }
}
