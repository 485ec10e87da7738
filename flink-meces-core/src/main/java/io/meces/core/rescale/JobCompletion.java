// SPDX-License-Identifier: Apache-2.0
package io.meces.core.rescale;

import java.util.ArrayList;
import java.util.List;

/**
 * Tells the end of a job: it has finished when its active subtasks have. Flink waits for all
 * others, too. Owned by the JobMaster's main thread.
 *
 * @param <S> a subtask
 */
public final class JobCompletion<S> {

    private final Job<S> job;
    private final RescaleController controller;

    public JobCompletion(Job<S> job, RescaleController controller) {
        this.job = job;
        this.controller = controller;
    }

    /** The subtasks of a job. */
    public interface Job<S> {

        /** All, of each vertex as many as its capacity. */
        Iterable<? extends S> subtasks();

        /** Whether it is, or is to be, deployed. */
        boolean isActive(S subtask);

        boolean isFinished(S subtask);

        /** Has one that was never deployed count as finished. */
        void finish(S inactive);
    }

    /** To be called whenever a subtask has finished, or the last one that runs may be inactive. */
    public void check() {
        List<S> inactive = new ArrayList<>();
        for (S subtask : job.subtasks()) {
            if (!job.isActive(subtask)) {
                inactive.add(subtask);
            } else if (!job.isFinished(subtask)) {
                return;
            }
        }
        controller.abandon("the job has finished");
        inactive.forEach(job::finish);
    }
}
