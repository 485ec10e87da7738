// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.scheduler;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.util.ExceptionUtils;
import org.apache.flink.util.InstantiationUtil;

/**
 * Copies job graphs. Java's serialization follows the edges, and takes some twenty frames of the
 * stack for each vertex of a chain: a few hundred vertices one behind the other are too many for
 * the stack of a JobMaster's thread. So the copy is made by a thread with a stack of its own.
 */
final class GraphCopy {

    /** What is not touched takes no memory. */
    private static final long STACK_BYTES = 256L << 20;

    private GraphCopy() {}

    /**
     * A deep copy; blocks as long as it takes to make it.
     *
     * @param userCode of the job
     */
    static JobGraph of(JobGraph graph, ClassLoader userCode) throws Exception {
        CompletableFuture<JobGraph> copy = new CompletableFuture<>();
        Thread thread =
                new Thread(
                        null,
                        () -> {
                            try {
                                copy.complete(InstantiationUtil.clone(graph, userCode));
                            } catch (Throwable e) {
                                copy.completeExceptionally(e);
                            }
                        },
                        "meces-copy-" + graph.getJobID(),
                        STACK_BYTES);
        thread.setDaemon(true);
        thread.setContextClassLoader(userCode);
        thread.start();
        try {
            return copy.get();
        } catch (ExecutionException e) {
            ExceptionUtils.rethrowException(e.getCause());
            throw e;
        }
    }
}
