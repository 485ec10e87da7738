// SPDX-License-Identifier: Apache-2.0
package io.meces.core.rescale.state;

import io.meces.api.RescaleState;
import io.meces.core.command.StateDescription;
import io.meces.core.id.AttemptId;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

/**
 * The subtasks that are there describe their state. Nothing has been touched yet: what each attempt
 * would fail for is found here.
 */
public final class Describing extends State<Describing.Context> {

    /** What this state may do. */
    public interface Context extends State.Context {

        /**
         * A subtask describes its state.
         *
         * @param others formats in which it may get some; none: they are not known yet
         */
        CompletableFuture<StateDescription> describeState(int subtask, List<byte[]> others);

        /**
         * The state can move.
         *
         * @param format in which it is written
         */
        void onDescribed(byte[] format);

        /** Each attempt would meet it. */
        void meetObstacle(String obstacle);

        void giveUp(String reason);
    }

    private final Set<Integer> awaited = new TreeSet<>();
    private final Set<ByteBuffer> formats = new LinkedHashSet<>();
    private List<byte[]> others = Collections.emptyList();
    private byte[] format = {};
    private String lastFailure = "";

    public Describing(Context context) {
        // what comes next is shown: this takes a moment
        super(
                context,
                context.scaling().isScaleOut() ? RescaleState.DEPLOYING : RescaleState.QUIESCING);
    }

    @Override
    public void enter() {
        afterStepTimeout(context::giveUp);
        askAll();
    }

    private void askAll() {
        for (int i = 0; i < scaling.from; i++) {
            awaited.add(i);
        }
        for (int i = 0; i < scaling.from && isCurrent(); i++) {
            ask(i);
        }
    }

    private void ask(int subtask) {
        after(
                context.describeState(subtask, others),
                (state, failure) -> {
                    if (failure == null) {
                        onDescribed(subtask, state);
                    } else {
                        // as a collection may keep it from answering
                        lastFailure = ", as of late: " + failure;
                        within(ReportState.NEWS, () -> ask(subtask));
                    }
                });
    }

    private void onDescribed(int subtask, StateDescription state) {
        if (subtask == VertexScaling.BROADCAST_DONOR) {
            format = state.format;
        }
        formats.add(ByteBuffer.wrap(state.format));
        awaited.remove(subtask);
        if (state.obstacle != null) {
            context.meetObstacle(state.obstacle);
        } else if (!awaited.isEmpty()) {
            return;
        } else if (formats.size() == 1 || !others.isEmpty()) {
            context.onDescribed(format);
        } else {
            // such as those of a state that some have asked for since the job was restored
            others = formats.stream().map(ByteBuffer::array).collect(Collectors.toList());
            askAll();
        }
    }

    @Override
    public void onFinished(AttemptId task) {
        if (scaling.isEnding()) {
            context.giveUp(scaling.end());
        }
    }

    @Override
    String waitingFor() {
        return "the state of subtasks " + awaited + lastFailure;
    }
}
