// SPDX-License-Identifier: Apache-2.0
package io.meces.core.exchange;

import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * What one subtask of an elastic vertex says to another. It does not say from whom to whom: that is
 * the {@link PeerEnvelope}'s business. Immutable; the payload must not be changed.
 */
public final class PeerMessage {

    /** What a message says. */
    public enum Kind {
        /** Meta information of the donor's states, for the units that follow in its priority. */
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
        /** What broadcast records have left behind at another subtask, for a new one. */
        BROADCAST_STATE,
        /** What has come of the priorities; it has none itself. */
        ACKNOWLEDGEMENT,
        /** The receiver needs the data of keys of a unit now, which comes apart from the unit. */
        KEY_REQUEST,
        /** The data of keys of a unit. */
        KEY_DATA,
        /** A chunk of the data of a key-group, whose number is in place of the unit. */
        DATA,
        /** All chunks of a key-group have been sent. */
        DATA_END,
        /** Whether the receiver wants chunks now. */
        PACE,
        /** The receiver has put in all data of a key-group, and asks for none of it any more. */
        DATA_INSTALLED
    }

    private static final byte[] NOTHING = new byte[0];

    private final Kind kind;
    private final long step;
    private final int unit;
    private final int input;
    private final int channel;
    private final int handover;
    private final byte[] payload;

    /**
     * A message as it has been read from the network; others are made by the methods below.
     *
     * @param handover the number of the {@link Handover}; -1 for none
     */
    public PeerMessage(
            Kind kind, long step, int unit, int input, int channel, int handover, byte[] payload) {
        this.kind = Objects.requireNonNull(kind);
        this.step = step;
        this.unit = unit;
        this.input = input;
        this.channel = channel;
        this.handover = handover;
        this.payload = Objects.requireNonNull(payload);
    }

    private PeerMessage(Kind kind, long step, int unit, int channel, byte[] payload) {
        this(kind, step, unit, -1, channel, -1, payload);
    }

    public static PeerMessage schema(long step, byte[] schema) {
        return new PeerMessage(Kind.SCHEMA, step, -1, -1, schema);
    }

    public static PeerMessage unit(long step, int unit, byte[] state) {
        return new PeerMessage(Kind.UNIT, step, unit, -1, state);
    }

    /**
     * @param units {@link UnitChunk#take}
     */
    public static PeerMessage chunk(long step, byte[] units) {
        return new PeerMessage(Kind.CHUNK, step, -1, -1, units);
    }

    public static PeerMessage forward(long step, int unit, int input, int channel, byte[] record) {
        return new PeerMessage(Kind.FORWARD, step, unit, input, channel, -1, record);
    }

    public static PeerMessage passed(long step, int channel) {
        return new PeerMessage(Kind.PASSED, step, -1, channel, NOTHING);
    }

    public static PeerMessage aligned(long step) {
        return new PeerMessage(Kind.ALIGNED, step, -1, -1, NOTHING);
    }

    public static PeerMessage request(long step, int unit) {
        return new PeerMessage(Kind.REQUEST, step, unit, -1, NOTHING);
    }

    public static PeerMessage broadcastState(long step, byte[] state) {
        return new PeerMessage(Kind.BROADCAST_STATE, step, -1, -1, state);
    }

    /**
     * @param keys their binary form
     */
    public static PeerMessage keyRequest(long step, int unit, byte[] keys) {
        return new PeerMessage(Kind.KEY_REQUEST, step, unit, -1, keys);
    }

    /**
     * @param keys the binary form of them and of their data
     */
    public static PeerMessage keyData(long step, int unit, byte[] keys) {
        return new PeerMessage(Kind.KEY_DATA, step, unit, -1, keys);
    }

    public static PeerMessage data(long step, int keyGroup, byte[] chunk) {
        return new PeerMessage(Kind.DATA, step, keyGroup, -1, chunk);
    }

    public static PeerMessage dataEnd(long step, int keyGroup) {
        return new PeerMessage(Kind.DATA_END, step, keyGroup, -1, NOTHING);
    }

    public static PeerMessage pace(long step, boolean more) {
        return new PeerMessage(Kind.PACE, step, -1, -1, new byte[] {(byte) (more ? 1 : 0)});
    }

    public static PeerMessage dataInstalled(long step, int keyGroup) {
        return new PeerMessage(Kind.DATA_INSTALLED, step, keyGroup, -1, NOTHING);
    }

    /**
     * @param next {@link #numbers} gives them back
     */
    public static PeerMessage acknowledgement(long[] next) {
        return new PeerMessage(Kind.ACKNOWLEDGEMENT, -1, -1, -1, encode(next));
    }

    /** The same message, of units whose last results stand at a place of the donor's output. */
    public PeerMessage withHandover(Handover place) {
        if (place.step() != step) {
            throw new IllegalArgumentException(place + " is not of the step of " + this);
        }
        return new PeerMessage(kind, step, unit, input, channel, place.number(), payload);
    }

    /** The same message with another payload: a service may keep the payload elsewhere. */
    public PeerMessage withPayload(byte[] newPayload) {
        return new PeerMessage(kind, step, unit, input, channel, handover, newPayload);
    }

    public Kind kind() {
        return kind;
    }

    public long step() {
        return step;
    }

    /**
     * Whether it has nothing to say any more. A schema always has: it counts for its priority, in
     * which units of later steps follow that are sent without one.
     */
    public boolean isOutdated(long currentStep) {
        return step < currentStep && kind != Kind.SCHEMA;
    }

    /** The unit; of data in the background the key-group; -1 where there is none. */
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

    /** Whether it brings units. */
    boolean hasUnits() {
        return kind == Kind.UNIT || kind == Kind.CHUNK;
    }

    /** Whether it brings state, whose bytes count as in flight. */
    public boolean hasState() {
        return hasUnits() || kind == Kind.DATA || kind == Kind.KEY_DATA;
    }

    /** Whether the receiver {@link #pace wants} chunks. */
    public boolean wantsMore() {
        return payload.length > 0 && payload[0] != 0;
    }

    /** The numbers of an {@link #acknowledgement}; a rest of the payload is ignored. */
    public long[] numbers() {
        ByteBuffer in = ByteBuffer.wrap(payload);
        long[] numbers = new long[payload.length / Long.BYTES];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = in.getLong();
        }
        return numbers;
    }

    private static byte[] encode(long[] numbers) {
        ByteBuffer out = ByteBuffer.allocate(Long.BYTES * numbers.length);
        for (long number : numbers) {
            out.putLong(number);
        }
        return out.array();
    }

    @Override
    public String toString() {
        return kind
                + " of step "
                + step
                + (unit < 0 ? "" : ", unit " + unit)
                + (channel < 0 ? "" : ", channel " + channel)
                + ", "
                + payload.length
                + " bytes";
    }
}
