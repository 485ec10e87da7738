// SPDX-License-Identifier: Apache-2.0
package io.meces.core.rescale;

import io.meces.api.RescaleState;
import io.meces.core.rescale.state.Cancelling;
import io.meces.core.rescale.state.Confirming;
import io.meces.core.rescale.state.Disconnecting;
import io.meces.core.rescale.state.Draining;
import io.meces.core.rescale.state.Reading;
import io.meces.core.rescale.state.Retiring;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import javax.annotation.Nullable;

/**
 * The end of a scale-in: all key-groups have moved, and the subtasks that are left without any
 * leave. Owned by the JobMaster's main thread.
 */
final class ScaleIn extends RescalePart
        implements Draining.Context, Confirming.Context, Reading.Context {

    private final Listener listener;

    /** Has checkpoints carry the list state of the subtasks that leave. */
    private Runnable carry = () -> {};

    ScaleIn(RescalePart whole, Listener listener) {
        super(whole);
        this.listener = listener;
    }

    /** Who decides on the whole rescale. */
    interface Listener {

        /** Holds checkpoints back, and goes on when none is on its way. */
        void quiesce(Runnable then);

        /** The subtasks have left. */
        void finish();

        /** They stay, as the job is ending. */
        void onStayed();

        /** They stay. */
        void onStayed(String reason);
    }

    void begin() {
        current.enter(new Draining(this));
    }

    @Override
    @Nullable
    public String whyNoneCanLeave() {
        return scaling.whyNoneCanLeave();
    }

    @Override
    public void onInputEnds() {
        vertex.endInputOf(
                scaling.leavingSubtasks().stream()
                        .mapToObj(scaling::attempt)
                        .collect(Collectors.toSet()));
    }

    @Override
    public void onDrained() {
        scaling.logReached("drained");
        if (checkpoints().isEnabled()) {
            current.enter(new Confirming(this));
        } else {
            onUnneeded();
        }
    }

    @Override
    public CompletableFuture<Long> letOnePass() {
        return checkpoints().letOnePass();
    }

    @Override
    public void onConfirmed(long checkpoint) {
        scaling.logReached("confirmed by checkpoint " + checkpoint);
        current.enter(new Reading(this, checkpoint));
    }

    @Override
    public void onUnneeded() {
        listener.quiesce(this::retire);
    }

    @Override
    public void abortRunning() {
        checkpoints().abortRunning();
    }

    @Override
    public CompletableFuture<Runnable> readListState(long checkpoint) {
        return job.readListState(vertex, scaling.to, scaling.from, checkpoint);
    }

    @Override
    public void onRead(Runnable whenGone) {
        carry = whenGone;
        listener.quiesce(this::retire);
    }

    private void retire() {
        current.enter(
                new Retiring(
                        this, RescaleState.RETIRING, scaling.to, scaling.from, this::onRetired));
    }

    private void onRetired() {
        scaling.logReached("retired");
        current.enter(
                new Cancelling(
                        this, RescaleState.CANCELLING, this::cancelLeaving, this::onCancelled));
    }

    private CompletableFuture<?> cancelLeaving() {
        vertex.deployUpTo(scaling.to);
        return job.cancel(vertex, scaling.to, scaling.from);
    }

    private void onCancelled() {
        scaling.logReached("cancelled");
        current.enter(new Disconnecting(this, scaling.to, scaling.from, false, this::gone));
    }

    private void gone() {
        carry.run();
        listener.finish();
    }

    @Override
    public void stay() {
        end(scaling.plan.to(), scaling.from);
        listener.onStayed();
    }

    @Override
    public void stay(String reason) {
        end(scaling.plan.to(), scaling.from);
        listener.onStayed(
                "all key-groups have moved, but "
                        + scaling.leavingSubtasks().cardinality()
                        + " subtask(s) of "
                        + vertex.name()
                        + " stay without any: "
                        + reason);
    }
}
