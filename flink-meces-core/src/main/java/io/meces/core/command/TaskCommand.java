// SPDX-License-Identifier: Apache-2.0
package io.meces.core.command;

import io.meces.core.exchange.TransitionAddress;
import io.meces.core.id.AttemptId;
import io.meces.core.id.DataSetId;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import javax.annotation.Nullable;

/** What the scheduler tells a task. Carried out in the task's mailbox. */
public abstract class TaskCommand implements Serializable {
    private static final long serialVersionUID = 1L;

    private final UUID rescale;

    TaskCommand(UUID rescale) {
        this.rescale = rescale;
    }

    public final UUID rescale() {
        return rescale;
    }

    /**
     * Tells a command from the others of its rescale that the same task gets; one that comes twice
     * is carried out once. Null: twice does no harm.
     */
    @Nullable
    String key() {
        return getClass().getSimpleName();
    }

    /** Upstream: something becomes of consumers from..to-1 of some of its outputs. */
    public abstract static class ForConsumers extends TaskCommand {
        private static final long serialVersionUID = 1L;
        private final Set<DataSetId> dataSets;
        private final int from;
        private final int to;

        ForConsumers(UUID rescale, Set<DataSetId> dataSets, int from, int to) {
            super(rescale);
            this.dataSets = new HashSet<>(dataSets);
            this.from = from;
            this.to = to;
        }

        public final Set<DataSetId> dataSets() {
            return Collections.unmodifiableSet(dataSets);
        }

        public final int from() {
            return from;
        }

        public final int to() {
            return to;
        }
    }

    /** Upstream: let records, watermarks and barriers flow to consumers from..to-1. */
    public static final class Connect extends ForConsumers {
        private static final long serialVersionUID = 1L;

        public Connect(UUID rescale, Set<DataSetId> dataSets, int from, int to) {
            super(rescale, dataSets, from, to);
        }
    }

    /** Elastic subtask: a rescale begins in which it gives or takes key-groups. */
    public static final class Begin extends TaskCommand {
        private static final long serialVersionUID = 1L;

        private final boolean receives;
        private final boolean singleUpstream;
        private final long lastCheckpoint;

        /**
         * @param receives whether it takes key-groups; its watermark then stands still from now on
         *     until it is told that it may rise
         * @param singleUpstream whether the vertex reads from one subtask only, which determines
         *     the order of records and watermarks: no watermark then stands still
         * @param lastCheckpoint the last one that has been begun; a new subtask is in none up to it
         */
        public Begin(UUID rescale, boolean receives, boolean singleUpstream, long lastCheckpoint) {
            super(rescale);
            this.receives = receives;
            this.singleUpstream = singleUpstream;
            this.lastCheckpoint = lastCheckpoint;
        }

        public long lastCheckpoint() {
            return lastCheckpoint;
        }

        public boolean singleUpstream() {
            return singleUpstream;
        }

        public boolean receives() {
            return receives;
        }
    }

    /** Elastic subtask: a step begins. */
    public static final class StartStep extends TaskCommand {
        private static final long serialVersionUID = 1L;
        private final StepMoves moves;
        private final HashMap<Integer, Peer> peers;
        private final long watermarkOfReceivers;

        /**
         * @param peers the participants of the step by subtask index
         * @param watermarkOfReceivers what the watermark of a receiver must not pass until it is
         *     told otherwise; a donor gives when its own has reached it
         */
        public StartStep(
                UUID rescale,
                StepMoves moves,
                Map<Integer, Peer> peers,
                long watermarkOfReceivers) {
            super(rescale);
            this.moves = moves;
            this.peers = new HashMap<>(peers);
            this.watermarkOfReceivers = watermarkOfReceivers;
        }

        public StepMoves moves() {
            return moves;
        }

        public Map<Integer, Peer> peers() {
            return Collections.unmodifiableMap(peers);
        }

        public long watermarkOfReceivers() {
            return watermarkOfReceivers;
        }

        @Override
        String key() {
            return super.key() + " " + moves.step();
        }
    }

    /** Elastic subtask, while no step runs: event time goes on. */
    public static final class AlignWatermark extends TaskCommand {
        private static final long serialVersionUID = 1L;
        private final long watermark;
        private final boolean asks;

        /**
         * @param watermark what the watermark of a receiver may rise to
         * @param asks whether the subtask is to say when its own has passed that
         */
        public AlignWatermark(UUID rescale, long watermark, boolean asks) {
            super(rescale);
            this.watermark = watermark;
            this.asks = asks;
        }

        public long watermark() {
            return watermark;
        }

        public boolean asks() {
            return asks;
        }

        @Override
        @Nullable
        String key() {
            return null;
        }
    }

    /** Upstream: route by the step's moves from now on, and say so in-band. */
    public static final class Switch extends TaskCommand {
        private static final long serialVersionUID = 1L;
        private final Set<DataSetId> dataSets;
        private final StepMoves moves;

        public Switch(UUID rescale, Set<DataSetId> dataSets, StepMoves moves) {
            super(rescale);
            this.dataSets = new HashSet<>(dataSets);
            this.moves = moves;
        }

        public Set<DataSetId> dataSets() {
            return Collections.unmodifiableSet(dataSets);
        }

        public StepMoves moves() {
            return moves;
        }

        @Override
        String key() {
            return super.key() + " " + moves.step();
        }
    }

    /** Elastic subtask: the rescale is over. */
    public static final class End extends TaskCommand {
        private static final long serialVersionUID = 1L;

        public End(UUID rescale) {
            super(rescale);
        }

        @Override
        @Nullable
        String key() {
            return null;
        }
    }

    /** Elastic subtask without key-groups: its operators get no more input. */
    public static final class EndInput extends TaskCommand {
        private static final long serialVersionUID = 1L;

        public EndInput(UUID rescale) {
            super(rescale);
        }
    }

    /** Elastic subtask without key-groups: say good-bye to the consumers, then emit nothing. */
    public static final class Retire extends TaskCommand {
        private static final long serialVersionUID = 1L;

        public Retire(UUID rescale) {
            super(rescale);
        }
    }

    /** Upstream: consumers from..to-1 are gone; make room for later ones. */
    public static final class Disconnect extends ForConsumers {
        private static final long serialVersionUID = 1L;

        public Disconnect(UUID rescale, Set<DataSetId> dataSets, int from, int to) {
            super(rescale, dataSets, from, to);
        }
    }

    /** Elastic subtask: say how busy each key-group is. The id is that of the survey. */
    public static final class MeasureLoad extends TaskCommand {
        private static final long serialVersionUID = 1L;

        public MeasureLoad(UUID survey) {
            super(survey);
        }

        @Override
        @Nullable
        String key() {
            return null;
        }
    }

    /** Elastic subtask: describe the state. The id is that of the question. */
    public static final class DescribeState extends TaskCommand {
        private static final long serialVersionUID = 1L;

        private final List<byte[]> others;

        /**
         * @param others formats in which state may come; none: they are not known yet
         */
        public DescribeState(UUID question, List<byte[]> others) {
            super(question);
            this.others = new ArrayList<>(others);
        }

        public List<byte[]> others() {
            return Collections.unmodifiableList(others);
        }

        @Override
        @Nullable
        String key() {
            return null;
        }
    }

    /** Where a participant of a step is reached. */
    public static final class Peer implements Serializable {
        private static final long serialVersionUID = 1L;
        private final AttemptId attempt;
        private final TransitionAddress address;

        public Peer(AttemptId attempt, TransitionAddress address) {
            this.attempt = attempt;
            this.address = address;
        }

        public AttemptId attempt() {
            return attempt;
        }

        public TransitionAddress address() {
            return address;
        }
    }
}
