// SPDX-License-Identifier: Apache-2.0
package io.meces.core.simulation;

import io.meces.api.AbortMode;
import io.meces.api.RescaleDetails;
import io.meces.api.RescaleRefusedException;
import io.meces.api.RescaleRequest;
import io.meces.api.RescaleStatus;
import io.meces.api.VertexChange;
import io.meces.core.checkpoint.RescaleException;
import io.meces.core.job.ElasticVertex;
import io.meces.core.job.JobState;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import javax.annotation.Nullable;

/** Whoever asks a JobManager for rescales, and knows what may come of them. */
final class RescaleClient {

    private final JobMaster master;
    private final Simulation world;
    private final Scenario scenario;
    private final ElasticVertex vertex;

    private boolean stopping;
    @Nullable private String rolledBack;

    RescaleClient(JobMaster master) {
        this.master = master;
        this.world = master.world;
        this.scenario = world.scenario();
        this.vertex = master.vertex();
    }

    /** Whether a rescale runs, or waits to go on. */
    boolean isBusy() {
        RescaleDetails last = last();
        return last != null && !last.status().isTerminal();
    }

    /** Whether a rescale would be accepted. */
    boolean isIdle() {
        return master.isEverythingRunning() && !isBusy() && !stopping;
    }

    /** A stop-with-savepoint: rescales end first. It fails in the end, so that the job goes on. */
    void stopJob() {
        stopping = true;
        rolledBack = null;
        master.controller()
                .withoutRescale(
                        "the job is being stopped",
                        () -> {
                            master.coordinator().triggerIfIdle();
                            CompletableFuture<Void> stopped = new CompletableFuture<>();
                            stopped.completeExceptionally(new RescaleException("no storage"));
                            return stopped;
                        },
                        master::later)
                .exceptionally(
                        failure -> {
                            stopping = false;
                            return null;
                        });
    }

    /** Asks for the last rescale to end early. */
    void abort(AbortMode mode) {
        RescaleDetails last = last();
        if (last == null) {
            return;
        }
        String before = rolledBack;
        // it may end within the call
        rolledBack = mode == AbortMode.ROLLBACK ? last.id() : null;
        try {
            master.controller().abort(last.id(), mode);
            Ledger.check(!last.status().isTerminal(), "a rescale that has ended is aborted");
            world.trace("%s is accepted", mode);
        } catch (RescaleRefusedException refused) {
            rolledBack = before;
            world.trace("%s is refused", mode);
        }
    }

    void request(int parallelism, int batchSize) {
        boolean busy = isBusy() || stopping;
        try {
            master.controller()
                    .rescale(
                            RescaleRequest.of(
                                            RescaleRequest.Target.byId(
                                                    vertex.id().toString(), parallelism))
                                    .withBatchSize(batchSize));
            Ledger.check(!busy, "a rescale is accepted while another one runs");
            world.trace("a rescale to %d subtasks is accepted", parallelism);
            world.onRescaleAccepted();
        } catch (RescaleRefusedException refused) {
            world.trace("a rescale to %d subtasks is refused", parallelism);
            Ledger.check(
                    busy
                            || master.jobState() != JobState.RUNNING
                            || !master.isReady()
                            || isWithoutCheckpoint(refused.getMessage())
                            || isCrowded(refused.getMessage())
                            || !master.canRestart()
                                    && refused.getMessage()
                                            .contains("before the job has been restarted"),
                    "a rescale is refused for no reason: %s",
                    refused.getMessage());
        }
    }

    @Nullable
    RescaleDetails last() {
        List<RescaleDetails> all = master.controller().rescales().rescales();
        return all.isEmpty() ? null : all.get(all.size() - 1);
    }

    /**
     * Checks that a rescale may have ended so.
     *
     * @param sourceFinished whether there can be no more checkpoints
     * @param ending whether there is nothing more to read
     */
    void onEnded(RescaleDetails last, boolean sourceFinished, boolean ending) {
        Ledger.check(
                sourceFinished
                        // a subtask that leaves and has not heard of a checkpoint gets another
                        || world.wordWasLost()
                        || last.durationMs() < Scenario.NO_STEP_TIMEOUT_MS,
                "a rescale has taken %d ms",
                last.durationMs());
        VertexChange change = last.vertices().get(0);
        if (last.status() == RescaleStatus.FINISHED && !ending) {
            Ledger.check(
                    vertex.parallelism() == change.to(),
                    "a rescale to %d has finished at %d",
                    change.to(),
                    vertex.parallelism());
        } else if (last.status() == RescaleStatus.ABORTED
                && last.id().equals(rolledBack)
                && !ending) {
            Ledger.check(
                    vertex.parallelism() == change.from(),
                    "a rescale from %d has been rolled back to %d",
                    change.from(),
                    vertex.parallelism());
        } else if (last.status() == RescaleStatus.FAILED && !ending) {
            Ledger.check(
                    last.failure().contains("meces.rescale.slot-timeout")
                            || last.failure().contains("given up after")
                            || isCrowded(last.failure())
                            || sourceFinished && isWithoutCheckpoint(last.failure())
                            || last.failure().contains("took longer than")
                                    && scenario.settings().stepTimeoutMs
                                            < Scenario.NO_STEP_TIMEOUT_MS
                            || (last.failure().contains("list state cannot be handed over")
                                            || last.failure().contains("before the job has been"))
                                    && !master.canRestart()
                            || scenario.settings().attempts == 1,
                    "a rescale has failed: %s",
                    last.failure());
        }
    }

    /** Whether a subtask cannot leave, as a source has finished. */
    private static boolean isWithoutCheckpoint(String refusal) {
        return refusal.contains("There is no checkpoint after that")
                || refusal.contains("which was to leave and could not, get no more input");
    }

    /** Whether list state of subtasks that are gone takes the place of one. */
    private boolean isCrowded(String refusal) {
        return vertex.carried() > 0 && refusal.contains("needs room in a checkpoint");
    }
}
