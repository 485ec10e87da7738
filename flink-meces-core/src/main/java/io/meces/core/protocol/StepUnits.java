// SPDX-License-Identifier: Apache-2.0
package io.meces.core.protocol;

import io.meces.core.command.StepMoves;
import java.util.Arrays;
import javax.annotation.Nullable;

/**
 * Which units move to or from a subtask in the current step, and where each of them stands. A unit
 * is {@code keyGroup * subGroups + subGroup}.
 *
 * <p>Owned by the task thread.
 */
final class StepUnits {

    /** It does not move from or to here. */
    static final byte ELSEWHERE = 0;

    /** It is to leave, and has not yet. */
    static final byte HELD = 1;

    static final byte SENT = 2;

    /** It is to come, and has not been asked for. */
    static final byte MISSING = 3;

    static final byte REQUESTED = 4;
    static final byte INSTALLED = 5;

    private final int subtask;
    private final int subGroups;

    /** Per unit: where it stands. */
    private final byte[] state;

    /** Per key-group: the other side of its move; -1 if it does not move from or to here. */
    private final int[] peer;

    /** Null between steps. */
    @Nullable private StepMoves moves;

    private int toSend;
    private int missing;

    StepUnits(MigrationSettings settings) {
        this.subtask = settings.subtask;
        this.subGroups = settings.subGroups;
        this.state = new byte[settings.units()];
        this.peer = new int[settings.keyGroups];
        Arrays.fill(peer, -1);
    }

    void startStep(StepMoves step) {
        moves = step;
        step.forEachFrom(subtask, (keyGroup, to) -> toSend += set(keyGroup, to, HELD));
        step.forEachTo(subtask, (keyGroup, from) -> missing += set(keyGroup, from, MISSING));
    }

    void endStep() {
        moves.forEachFrom(subtask, (keyGroup, to) -> set(keyGroup, -1, ELSEWHERE));
        moves.forEachTo(subtask, (keyGroup, from) -> set(keyGroup, -1, ELSEWHERE));
        moves = null;
    }

    private int set(int keyGroup, int newPeer, byte newState) {
        peer[keyGroup] = newPeer;
        Arrays.fill(state, keyGroup * subGroups, (keyGroup + 1) * subGroups, newState);
        return subGroups;
    }

    /** The step that runs; null between steps. */
    @Nullable
    StepMoves step() {
        return moves;
    }

    byte state(int unit) {
        return state[unit];
    }

    /** The other side of the move of a unit; -1 if it does not move from or to here. */
    int peer(int unit) {
        return peer[unit / subGroups];
    }

    /** Whether a unit is still to come. */
    boolean isAwaited(int unit) {
        return state[unit] == MISSING || state[unit] == REQUESTED;
    }

    void sent(int unit) {
        state[unit] = SENT;
        toSend--;
    }

    void requested(int unit) {
        state[unit] = REQUESTED;
    }

    void installed(int unit) {
        state[unit] = INSTALLED;
        missing--;
    }

    /** Whether units are still to leave. */
    boolean areToLeave() {
        return toSend > 0;
    }

    /** Whether units are still to come. */
    boolean areToCome() {
        return missing > 0;
    }
}
