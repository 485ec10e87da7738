// SPDX-License-Identifier: Apache-2.0
package io.meces.core.rescale.state;

import io.meces.api.RescaleState;
import io.meces.core.id.AttemptId;
import java.util.concurrent.CompletableFuture;

/** Scale-out: the new subtasks get slots and run. */
public final class Deploying extends State<Deploying.Context> {

    /** What this state may do. */
    public interface Context extends State.Context {

        /**
         * Requests slots for the new subtasks and deploys them; completes when they run.
         *
         * @param stateFormat in which they are to write their state
         */
        CompletableFuture<?> deploy(byte[] stateFormat);

        void onDeployed();

        /** Ends the new subtasks, and so the rescale: the job has not noticed anything. */
        void undeploy(String reason);
    }

    private final byte[] stateFormat;
    private long giveUpNanos;

    /**
     * @param stateFormat that of the subtasks that are there: a restore reads what several subtasks
     *     have written with the serializers of one, and those of a subtask that was restored may
     *     have been reconfigured
     */
    public Deploying(Context context, byte[] stateFormat) {
        super(context, RescaleState.DEPLOYING);
        this.stateFormat = stateFormat;
    }

    @Override
    public void enter() {
        after(
                context.deploy(stateFormat),
                (ok, failure) -> {
                    if (failure == null) {
                        context.onDeployed();
                    }
                    // a failure is a task failure, which the scheduler handles
                });
        giveUpNanos = scaling.nanoTime() + scaling.settings.slotTimeout().toNanos();
        within(scaling.settings.slotTimeout(), () -> context.undeploy(late()));
    }

    private String late() {
        int missing = missingSlots();
        String subtasks =
                (scaling.to - scaling.from) + " new subtask(s) of " + scaling.vertex.name();
        String limit =
                " within "
                        + scaling.settings.slotTimeout().toMillis()
                        + " ms (meces.rescale.slot-timeout). ";
        return missing > 0
                ? "no slots for "
                        + missing
                        + " of "
                        + subtasks
                        + limit
                        + "Start TaskManagers with "
                        + missing
                        + " more slot(s), or ask for less."
                : subtasks
                        + " have their slots, but did not run"
                        + limit
                        + "See the logs of their TaskManagers.";
    }

    /** How many of the new subtasks have no slot yet. */
    public int missingSlots() {
        return (int)
                scaling.newSubtasks().stream()
                        .filter(i -> !scaling.tasks.hasSlot(scaling.vertex.id(), i))
                        .count();
    }

    /** For how long it is still waited for slots, in ns. */
    public long nanosLeft() {
        return giveUpNanos - scaling.nanoTime();
    }

    @Override
    public void onFinished(AttemptId task) {
        if (scaling.isEnding()) {
            context.undeploy(scaling.end());
        }
    }
}
