// SPDX-License-Identifier: Apache-2.0
package io.meces.core.command;

import io.meces.core.exchange.TransitionAddress;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import javax.annotation.Nullable;

/** What a task tells the scheduler. */
public abstract class TaskReport implements Serializable {
    private static final long serialVersionUID = 1L;

    /** The rescale that it belongs to; null if that cannot be told. */
    @Nullable public final UUID rescale;

    TaskReport(@Nullable UUID rescale) {
        this.rescale = rescale;
    }

    @Override
    public final String toString() {
        return getClass().getSimpleName();
    }

    /** An upstream has carried out {@link TaskCommand.Connect}. */
    public static final class Connected extends TaskReport {
        private static final long serialVersionUID = 1L;

        public Connected(UUID rescale) {
            super(rescale);
        }
    }

    /** An upstream cannot carry out {@link TaskCommand.Connect}, and goes on without it. */
    public static final class ConnectFailed extends TaskReport {
        private static final long serialVersionUID = 1L;
        public final String reason;

        public ConnectFailed(UUID rescale, String reason) {
            super(rescale);
            this.reason = reason;
        }
    }

    /** A consumer cannot open a channel to a new subtask, and goes on without it. */
    public static final class NotConnected extends TaskReport {
        private static final long serialVersionUID = 1L;

        /** The index of the consumer's input gate. */
        public final int gate;

        /** The index of the channel in the gate, which is that of the new subtask. */
        public final int channel;

        public final String reason;

        public NotConnected(int gate, int channel, String reason) {
            super(null);
            this.gate = gate;
            this.channel = channel;
            this.reason = reason;
        }
    }

    /** A consumer has got {@code ChannelUp} or {@code ChannelDown} from a producer. */
    public static final class ChannelChanged extends TaskReport {
        private static final long serialVersionUID = 1L;

        /** The index of the consumer's input gate. */
        public final int gate;

        /** The subtask index of the producer. */
        public final int channel;

        public final boolean up;

        public ChannelChanged(int gate, int channel, boolean up) {
            super(null);
            this.gate = gate;
            this.channel = channel;
            this.up = up;
        }
    }

    /** An elastic subtask has carried out {@link TaskCommand.Begin}. */
    public static final class Begun extends TaskReport {
        private static final long serialVersionUID = 1L;
        public final TransitionAddress address;

        /** The watermark of a receiver stands still until it is told that it may rise. */
        public final EventTime time;

        public Begun(UUID rescale, TransitionAddress address, EventTime time) {
            super(rescale);
            this.address = address;
            this.time = time;
        }
    }

    /** An elastic subtask has carried out {@link TaskCommand.StartStep}. */
    public static final class StepStarted extends TaskReport {
        private static final long serialVersionUID = 1L;
        public final long step;

        public StepStarted(UUID rescale, long step) {
            super(rescale);
            this.step = step;
        }
    }

    /** The answer to {@link TaskCommand.AlignWatermark}, as soon as it is true. */
    public static final class WatermarkRisen extends TaskReport {
        private static final long serialVersionUID = 1L;

        /** With the watermark that it would have if it were not held back. */
        public final EventTime time;

        public WatermarkRisen(UUID rescale, EventTime time) {
            super(rescale);
            this.time = time;
        }
    }

    /** A receiver has processed its first record of a unit that it was given in this rescale. */
    public static final class FirstRecord extends TaskReport {
        private static final long serialVersionUID = 1L;

        public FirstRecord(UUID rescale) {
            super(rescale);
        }
    }

    /** An elastic subtask has done its part of a step. */
    public static final class StepCompleted extends TaskReport {
        private static final long serialVersionUID = 1L;
        public final long step;

        /** With the watermark that it would have if it were not held back. */
        public final EventTime time;

        public final StepStatistics statistics;

        /** Whether {@link DataCompleted} will come, too. */
        public final boolean dataToCome;

        /** Events that consumers got for the order of results, one for all behind an output. */
        public final int orderEvents;

        /** The longest that one unit, leaving or coming, has kept the task so far, in ns. */
        public final long longestStopNanos;

        public StepCompleted(
                UUID rescale,
                long step,
                EventTime time,
                StepStatistics statistics,
                boolean dataToCome,
                int orderEvents,
                long longestStopNanos) {
            super(rescale);
            this.step = step;
            this.time = time;
            this.statistics = statistics;
            this.dataToCome = dataToCome;
            this.orderEvents = orderEvents;
            this.longestStopNanos = longestStopNanos;
        }
    }

    /**
     * A subtask gets on with what takes long in a step: it works off what is queued before the
     * marker, a receiver has got more data that comes apart from the units, or a donor has deleted
     * more of it.
     */
    public static final class StepProceeds extends TaskReport {
        private static final long serialVersionUID = 1L;
        public final long step;

        public StepProceeds(UUID rescale, long step) {
            super(rescale);
            this.step = step;
        }
    }

    /**
     * A subtask has got all data of a step that comes apart from the units, and has nothing left of
     * what it was to give.
     */
    public static final class DataCompleted extends TaskReport {
        private static final long serialVersionUID = 1L;
        public final long step;

        /** With the watermark that it would have if it were not held back. */
        public final EventTime time;

        public final DataStatistics statistics;

        public DataCompleted(UUID rescale, long step, EventTime time, DataStatistics statistics) {
            super(rescale);
            this.step = step;
            this.time = time;
            this.statistics = statistics;
        }
    }

    /** An elastic subtask has carried out {@link TaskCommand.EndInput}; it holds nothing back. */
    public static final class InputEnded extends TaskReport {
        private static final long serialVersionUID = 1L;

        public InputEnded(UUID rescale) {
            super(rescale);
        }
    }

    /** The operators of a subtask whose input has ended know that a checkpoint is complete. */
    public static final class CheckpointConfirmed extends TaskReport {
        private static final long serialVersionUID = 1L;
        public final long checkpoint;

        public CheckpointConfirmed(UUID rescale, long checkpoint) {
            super(rescale);
            this.checkpoint = checkpoint;
        }
    }

    /** An elastic subtask has carried out {@link TaskCommand.Retire}. */
    public static final class Retired extends TaskReport {
        private static final long serialVersionUID = 1L;

        public Retired(UUID rescale) {
            super(rescale);
        }
    }

    /** An upstream has carried out {@link TaskCommand.Disconnect}. */
    public static final class Disconnected extends TaskReport {
        private static final long serialVersionUID = 1L;

        public Disconnected(UUID rescale) {
            super(rescale);
        }
    }

    /**
     * A subtask deletes what has come with a restored checkpoint and belongs to others. Repeated
     * every second, or about that, until all is gone.
     */
    public static final class Clearing extends TaskReport {
        private static final long serialVersionUID = 1L;

        public Clearing() {
            super(null);
        }
    }

    /** What keeps messages of a subtask from its peers has changed. */
    public static final class MessagesHindered extends TaskReport {
        private static final long serialVersionUID = 1L;

        /** Null: nothing does any more. */
        @Nullable public final String reason;

        public MessagesHindered(@Nullable String reason) {
            super(null);
            this.reason = reason;
        }
    }

    /** The answer to {@link TaskCommand.MeasureLoad}; the id is that of the survey. */
    public static final class Load extends TaskReport {
        private static final long serialVersionUID = 1L;

        /** What part of an even rate has been learned since the task began: from 0 to 1. */
        public final double share;

        /** Those of which there is something to tell. */
        public final List<KeyGroupLoad> keyGroups;

        public Load(UUID survey, double share, List<KeyGroupLoad> keyGroups) {
            super(survey);
            this.share = share;
            this.keyGroups = Collections.unmodifiableList(new ArrayList<>(keyGroups));
        }
    }

    /** The answer to {@link TaskCommand.DescribeState}; the id is that of the question. */
    public static final class StateDescribed extends TaskReport {
        private static final long serialVersionUID = 1L;

        public final StateDescription state;

        public StateDescribed(UUID question, StateDescription state) {
            super(question);
            this.state = state;
        }
    }

    /** How busy a key-group is at a subtask. */
    public static final class KeyGroupLoad implements Serializable {
        private static final long serialVersionUID = 1L;
        public final int keyGroup;

        /** Records and timers; to be divided by {@link Load#share}. */
        public final double recordsPerSecond;

        /** Entries of keyed state, and timers. */
        public final long entries;

        public KeyGroupLoad(int keyGroup, double recordsPerSecond, long entries) {
            this.keyGroup = keyGroup;
            this.recordsPerSecond = recordsPerSecond;
            this.entries = entries;
        }
    }
}
