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

import io.meces.runtime.courier.Lane;
import io.meces.runtime.migration.Handover;
import java.util.Objects;
import org.apache.flink.runtime.executiongraph.ExecutionAttemptID;

/**
 * One message between two subtasks of an elastic vertex. Immutable; the payload must not be
 * changed.
 *
 * <p>It names job, vertex, rescale, step, and the execution attempts of both sides, so that a
 * receiver can tell what is meant for another attempt or belongs to another rescale or step. {@link
 * Lane} and sequence number say where it stands among the messages of its sender; they are given
 * when it is sent.
 */
public final class TransitionMessage {

    /** What a message says. */
    public enum Kind {
        /** Meta information of the donor's states, for the units that follow in the same lane. */
        SCHEMA,
        /** The state of one unit. */
        UNIT,
        /** The states of several units: {@link UnitChunk}. */
        CHUNK,
        /** A record of a unit that left before. */
        FORWARD,
        /** The donor has passed the marker of {@code channel}. */
        PASSED,
        /** The donor has passed the markers of all its channels. */
        ALIGNED,
        /** The receiver needs a unit now. */
        REQUEST,
        /** The receiver has installed units. */
        INSTALLED,
        /** What broadcast records have left behind at another subtask, for a new one. */
        BROADCAST_STATE,
        /** What has come of the lanes; it has no lane itself. */
        ACKNOWLEDGEMENT
    }

    private static final byte[] NOTHING = new byte[0];

    private final TransitionOrigin origin;
    private final ExecutionAttemptID receiver;
    private final Kind kind;
    private final long step;
    private final int unit;
    private final int input;
    private final int channel;
    private final int handover;
    private final byte[] payload;
    private final Lane lane;
    private final long sequence;

    TransitionMessage(
            TransitionOrigin origin,
            ExecutionAttemptID receiver,
            Kind kind,
            long step,
            int unit,
            int input,
            int channel,
            int handover,
            byte[] payload,
            Lane lane,
            long sequence) {
        this.origin = Objects.requireNonNull(origin);
        this.receiver = Objects.requireNonNull(receiver);
        this.kind = Objects.requireNonNull(kind);
        this.step = step;
        this.unit = unit;
        this.input = input;
        this.channel = channel;
        this.handover = handover;
        this.payload = Objects.requireNonNull(payload);
        this.lane = Objects.requireNonNull(lane);
        this.sequence = sequence;
    }

    /** The same message as the {@code sequence}-th of a lane. */
    public TransitionMessage sequenced(Lane newLane, long newSequence) {
        return copy(handover, payload, newLane, newSequence);
    }

    /** The same message, of units whose last results stand at a place of the donor's output. */
    public TransitionMessage withHandover(Handover newHandover) {
        if (newHandover.step() != step) {
            throw new IllegalArgumentException(newHandover + " is not of the step of " + this);
        }
        return copy(newHandover.number(), payload, lane, sequence);
    }

    /** The same message with another payload: a service may keep the payload elsewhere. */
    public TransitionMessage withPayload(byte[] newPayload) {
        return copy(handover, newPayload, lane, sequence);
    }

    private TransitionMessage copy(
            int newHandover, byte[] newPayload, Lane newLane, long newSequence) {
        return new TransitionMessage(
                origin,
                receiver,
                kind,
                step,
                unit,
                input,
                channel,
                newHandover,
                newPayload,
                newLane,
                newSequence);
    }

    public TransitionOrigin origin() {
        return origin;
    }

    public ExecutionAttemptID receiver() {
        return receiver;
    }

    public Kind kind() {
        return kind;
    }

    public long step() {
        return step;
    }

    /**
     * Whether it has nothing to say any more. A schema always has: it counts for its lane, in which
     * units of later steps follow that are sent without one.
     */
    public boolean isOutdated(long currentStep) {
        return step < currentStep && kind != Kind.SCHEMA;
    }

    /** The unit; -1 where there is none. */
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

    /** Where the last results of its units stand in the output of the sender. */
    public Handover handover() {
        return new Handover(step, handover);
    }

    public byte[] payload() {
        return payload;
    }

    public Lane lane() {
        return lane;
    }

    /** The position in the lane, from 0; -1 before it is sent, and for acknowledgements. */
    public long sequence() {
        return sequence;
    }

    @Override
    public String toString() {
        return kind
                + " of step "
                + step
                + " from "
                + origin
                + " to "
                + receiver
                + ", unit "
                + unit
                + ", channel "
                + channel
                + ", "
                + payload.length
                + " bytes, "
                + lane
                + " "
                + sequence;
    }

    /** Makes the messages of one sender in one rescale. */
    public static final class Builder {
        private final TransitionOrigin origin;

        public Builder(TransitionOrigin origin) {
            this.origin = origin;
        }

        public TransitionMessage schema(ExecutionAttemptID to, long step, byte[] schema) {
            return make(Kind.SCHEMA, to, step, -1, -1, -1, schema);
        }

        public TransitionMessage unit(ExecutionAttemptID to, long step, int unit, byte[] state) {
            return make(Kind.UNIT, to, step, unit, -1, -1, state);
        }

        public TransitionMessage chunk(ExecutionAttemptID to, long step, byte[] units) {
            return make(Kind.CHUNK, to, step, -1, -1, -1, units);
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

        /**
         * @param units {@link TransitionCodec#decodeLongs} gets them from the payload
         */
        public TransitionMessage installed(ExecutionAttemptID to, long step, long[] units) {
            return make(Kind.INSTALLED, to, step, -1, -1, -1, TransitionCodec.encodeLongs(units));
        }

        public TransitionMessage broadcastState(ExecutionAttemptID to, long step, byte[] state) {
            return make(Kind.BROADCAST_STATE, to, step, -1, -1, -1, state);
        }

        /**
         * @param next what {@link io.meces.runtime.courier.CourierPort#acknowledge} is given
         */
        public TransitionMessage acknowledgement(ExecutionAttemptID to, long[] next) {
            return make(
                    Kind.ACKNOWLEDGEMENT, to, -1, -1, -1, -1, TransitionCodec.encodeLongs(next));
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
                    origin, to, kind, step, unit, input, channel, -1, payload, Lane.CONTROL, -1);
        }
    }
}
