/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
 * in compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License
 * is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
 * or implied. See the License for the specific language governing permissions and limitations under
 * the License.
 */

package io.meces.runtime.transition;

import org.apache.flink.runtime.executiongraph.ExecutionAttemptID;

/**
 * One message between two subtasks of an elastic vertex. Immutable; the payload must not be
 * changed.
 *
 * <p>It names rescale, step, and the execution attempts of both sides, so that a receiver can tell
 * what is meant for another attempt or belongs to an earlier step.
 */
public final class TransitionMessage {

    /** What a message says. */
    public enum Kind {
        /** Meta information of the donor's states; {@code unit} is the version of the schema. */
        SCHEMA,
        /** The state of a unit. */
        UNIT,
        /** A record of a unit that left before. */
        FORWARD,
        /** The donor has passed the marker of {@code channel}. */
        PASSED,
        /** The donor has passed the markers of all its channels. */
        ALIGNED,
        /** The receiver needs a unit now. */
        REQUEST,
        /** The receiver has installed a unit. */
        INSTALLED,
        /** What broadcast records have left behind at another subtask, for a new one. */
        BROADCAST_STATE
    }

    private static final byte[] NOTHING = new byte[0];

    private final Kind kind;
    private final long rescaleHigh;
    private final long rescaleLow;
    private final long step;
    private final ExecutionAttemptID sender;
    private final ExecutionAttemptID receiver;
    private final int senderSubtask;
    private final int unit;
    private final int input;
    private final int channel;
    private final byte[] payload;

    TransitionMessage(
            Kind kind,
            long rescaleHigh,
            long rescaleLow,
            long step,
            ExecutionAttemptID sender,
            ExecutionAttemptID receiver,
            int senderSubtask,
            int unit,
            int input,
            int channel,
            byte[] payload) {
        this.kind = kind;
        this.rescaleHigh = rescaleHigh;
        this.rescaleLow = rescaleLow;
        this.step = step;
        this.sender = sender;
        this.receiver = receiver;
        this.senderSubtask = senderSubtask;
        this.unit = unit;
        this.input = input;
        this.channel = channel;
        this.payload = payload;
    }

    public Kind kind() {
        return kind;
    }

    public long rescaleHigh() {
        return rescaleHigh;
    }

    public long rescaleLow() {
        return rescaleLow;
    }

    public long step() {
        return step;
    }

    public ExecutionAttemptID sender() {
        return sender;
    }

    public ExecutionAttemptID receiver() {
        return receiver;
    }

    public int senderSubtask() {
        return senderSubtask;
    }

    /** The unit, for a schema its version; -1 where there is none. */
    public int unit() {
        return unit;
    }

    /** The index of the operator's input that a forwarded record came on; -1 for other kinds. */
    public int input() {
        return input;
    }

    /** The input channel, numbered through all gates; -1 where there is none. */
    public int channel() {
        return channel;
    }

    public byte[] payload() {
        return payload;
    }

    @Override
    public String toString() {
        return kind
                + " of step "
                + step
                + " from subtask "
                + senderSubtask
                + " ("
                + sender
                + ") to "
                + receiver
                + ", unit "
                + unit
                + ", channel "
                + channel
                + ", "
                + payload.length
                + " bytes";
    }

    /** Makes the messages of one sender in one rescale. */
    public static final class Builder {
        private final long rescaleHigh;
        private final long rescaleLow;
        private final ExecutionAttemptID sender;
        private final int senderSubtask;

        public Builder(
                long rescaleHigh, long rescaleLow, ExecutionAttemptID sender, int senderSubtask) {
            this.rescaleHigh = rescaleHigh;
            this.rescaleLow = rescaleLow;
            this.sender = sender;
            this.senderSubtask = senderSubtask;
        }

        public TransitionMessage schema(
                ExecutionAttemptID to, long step, int version, byte[] schema) {
            return make(Kind.SCHEMA, to, step, version, -1, -1, schema);
        }

        public TransitionMessage unit(ExecutionAttemptID to, long step, int unit, byte[] state) {
            return make(Kind.UNIT, to, step, unit, -1, -1, state);
        }

        public TransitionMessage forward(
                ExecutionAttemptID to, long step, int unit, int input, int channel, byte[] record) {
            return make(Kind.FORWARD, to, step, unit, input, channel, record);
        }

        public TransitionMessage passed(ExecutionAttemptID to, long step, int channel) {
            return make(Kind.PASSED, to, step, -1, -1, channel, NOTHING);
        }

        public TransitionMessage aligned(ExecutionAttemptID to, long step) {
            return make(Kind.ALIGNED, to, step, -1, -1, -1, NOTHING);
        }

        public TransitionMessage request(ExecutionAttemptID to, long step, int unit) {
            return make(Kind.REQUEST, to, step, unit, -1, -1, NOTHING);
        }

        public TransitionMessage installed(ExecutionAttemptID to, long step, int unit) {
            return make(Kind.INSTALLED, to, step, unit, -1, -1, NOTHING);
        }

        public TransitionMessage broadcastState(ExecutionAttemptID to, long step, byte[] state) {
            return make(Kind.BROADCAST_STATE, to, step, -1, -1, -1, state);
        }

        private TransitionMessage make(
                Kind kind,
                ExecutionAttemptID to,
                long step,
                int unit,
                int input,
                int channel,
                byte[] payload) {
            return new TransitionMessage(
                    kind,
                    rescaleHigh,
                    rescaleLow,
                    step,
                    sender,
                    to,
                    senderSubtask,
                    unit,
                    input,
                    channel,
                    payload);
        }
    }
}
