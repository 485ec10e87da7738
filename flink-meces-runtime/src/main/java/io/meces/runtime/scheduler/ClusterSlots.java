// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.scheduler;

import io.meces.flink.runtime.Futures;
import io.meces.flink.runtime.Gateways;
import io.meces.flink.runtime.JobSlots;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.LongPredicate;
import org.apache.flink.runtime.resourcemanager.ResourceManagerGateway;
import org.apache.flink.util.FlinkException;

/**
 * The slots that a job could have at once: those that its slot pool keeps unused, and those that
 * the resource manager has for anybody. Owned by the JobMaster's main thread.
 */
final class ClusterSlots {

    private final JobSlots ofJob;
    private final Duration timeout;

    ClusterSlots(JobSlots ofJob, Duration timeout) {
        this.ofJob = ofJob;
        this.timeout = timeout;
    }

    /** Runs an action whenever TaskManagers have offered slots, which nobody may need any more. */
    void whenOffered(Runnable action) {
        ofJob.whenOffered(action);
    }

    /** As {@link JobSlots#alignUnless}. */
    void alignUnless(LongPredicate unaligned) {
        ofJob.alignUnless(unaligned);
    }

    /**
     * How many there are; completes in the main thread. Fails if the resource manager is not there.
     */
    CompletableFuture<Integer> free(Executor mainThread) {
        ResourceManagerGateway manager = ofJob.resourceManager();
        if (manager == null) {
            return Futures.completedExceptionally(
                    new FlinkException("no resource manager is connected"));
        }
        return manager.requestResourceOverview(Gateways.timeout(timeout))
                .handleAsync(
                        (cluster, failure) -> {
                            if (failure != null) {
                                throw new CompletionException(failure);
                            }
                            return cluster.getNumberFreeSlots() + ofJob.unused();
                        },
                        mainThread);
    }

    /** Whether the job keeps some that it does not use. */
    boolean hasUnused() {
        return ofJob.unused() > 0;
    }

    /** Gives back those that the job does not use; Flink's slot pool would keep them for later. */
    void giveBackUnused() {
        ofJob.giveBackUnused();
    }
}
