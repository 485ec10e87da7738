// SPDX-License-Identifier: Apache-2.0
package io.meces.core.simulation;

import io.meces.core.exchange.Handover;
import io.meces.core.exchange.TaskThread;
import io.meces.core.protocol.MigratingElement;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;

/** What a subtask puts into a channel, and what an elastic subtask puts behind it. */
public final class SimulatedElement implements MigratingElement {

    /** Kinds of elements. */
    enum Kind {
        RECORD,
        /** A record that concerns all units. */
        BROADCAST,
        WATERMARK,
        MARKER,
        /** A checkpoint barrier. */
        BARRIER,
        /** A checkpoint that no barrier will come of. */
        CANCEL,
        END,
        /** Not of a channel: does something when it is processed. */
        ACTION,
        /** What the elastic vertex emits for a record or a timer. */
        OUTPUT,
        /** The producer is new. */
        UP,
        /** The producer has nothing more to say for the time being. */
        IDLE,
        /** The producer is gone. */
        DOWN,
        /** All results of units that leave their producer come before. */
        HANDED_OVER,
        /** Results of units that their producer has got come behind. */
        TAKEN_OVER;

        /** Whether a rescale has it sent, between records. */
        boolean isOfRescale() {
            return this == MARKER
                    || this == UP
                    || this == DOWN
                    || this == HANDED_OVER
                    || this == TAKEN_OVER;
        }
    }

    private static final TaskThread.Mail NOTHING = () -> {};

    final Kind kind;
    final int channel;
    final int unit;
    final int key;

    /** Counts the records of a key and channel, or the broadcast records of a channel. */
    final int sequence;

    /** Where it stands in the input of its upstream; an output: its {@link Oracle} number. */
    final int index;

    /** Event time of a record, output or watermark; number of a step or checkpoint. */
    final long time;

    /** What an output says. */
    final long value;

    final TaskThread.Mail action;

    private SimulatedElement(
            Kind kind,
            int channel,
            int unit,
            int key,
            int sequence,
            int index,
            long time,
            long value,
            TaskThread.Mail action) {
        this.kind = kind;
        this.channel = channel;
        this.unit = unit;
        this.key = key;
        this.sequence = sequence;
        this.index = index;
        this.time = time;
        this.value = value;
        this.action = action;
    }

    private static SimulatedElement event(Kind kind, int channel, long time) {
        return new SimulatedElement(kind, channel, -1, -1, -1, -1, time, 0, NOTHING);
    }

    public static SimulatedElement record(int channel, int unit, int key, int sequence, long time) {
        return record(channel, unit, key, sequence, -1, time);
    }

    static SimulatedElement record(
            int channel, int unit, int key, int sequence, int index, long time) {
        return new SimulatedElement(
                Kind.RECORD, channel, unit, key, sequence, index, time, 0, NOTHING);
    }

    public static SimulatedElement broadcast(int channel, int sequence, long time) {
        return new SimulatedElement(
                Kind.BROADCAST, channel, -1, -1, sequence, -1, time, 0, NOTHING);
    }

    public static SimulatedElement watermark(int channel, long time) {
        return event(Kind.WATERMARK, channel, time);
    }

    static SimulatedElement marker(int channel, long step) {
        return event(Kind.MARKER, channel, step);
    }

    static SimulatedElement barrier(int channel, long checkpoint) {
        return event(Kind.BARRIER, channel, checkpoint);
    }

    static SimulatedElement cancel(int channel, long checkpoint) {
        return event(Kind.CANCEL, channel, checkpoint);
    }

    static SimulatedElement end(int channel) {
        return event(Kind.END, channel, Long.MAX_VALUE);
    }

    static SimulatedElement up(int channel) {
        return event(Kind.UP, channel, 0);
    }

    static SimulatedElement idle(int channel) {
        return event(Kind.IDLE, channel, 0);
    }

    static SimulatedElement down(int channel) {
        return event(Kind.DOWN, channel, 0);
    }

    static SimulatedElement action(TaskThread.Mail action) {
        return new SimulatedElement(Kind.ACTION, -1, -1, -1, -1, -1, 0, 0, action);
    }

    /**
     * @param sequence counts the outputs for a key
     */
    static SimulatedElement output(
            int channel, int key, int sequence, int number, long time, long value) {
        return new SimulatedElement(
                Kind.OUTPUT, channel, -1, key, sequence, number, time, value, NOTHING);
    }

    static SimulatedElement handedOver(int channel, Handover handover) {
        return new SimulatedElement(
                Kind.HANDED_OVER,
                channel,
                -1,
                -1,
                handover.number(),
                -1,
                handover.step(),
                0,
                NOTHING);
    }

    /**
     * @param donor its index takes the place of a key
     */
    static SimulatedElement takenOver(int channel, int donor, Handover handover) {
        return new SimulatedElement(
                Kind.TAKEN_OVER,
                channel,
                -1,
                donor,
                handover.number(),
                -1,
                handover.step(),
                0,
                NOTHING);
    }

    Handover handover() {
        return new Handover(time, sequence);
    }

    /** The binary form of a record. */
    void write(DataOutputStream out) throws IOException {
        out.writeInt(channel);
        out.writeInt(unit);
        out.writeInt(key);
        out.writeInt(sequence);
        out.writeInt(index);
        out.writeLong(time);
    }

    /** The counterpart of {@link #write}. */
    static SimulatedElement read(DataInputStream in) throws IOException {
        return record(
                in.readInt(),
                in.readInt(),
                in.readInt(),
                in.readInt(),
                in.readInt(),
                in.readLong());
    }

    @Override
    public int unit() {
        return unit;
    }

    @Override
    public int channel() {
        return channel;
    }

    public int sequence() {
        return sequence;
    }

    @Override
    public boolean isForAllKeys() {
        return kind == Kind.BROADCAST;
    }

    public boolean isRecord() {
        return kind == Kind.RECORD;
    }

    @Override
    public String toString() {
        switch (kind) {
            case RECORD:
                return "record " + sequence + " of key " + key + " (unit " + unit + ") at " + time;
            case BROADCAST:
                return "broadcast record " + sequence + " at " + time;
            case WATERMARK:
                return "watermark " + time;
            case MARKER:
                return "marker of step " + time;
            case BARRIER:
                return "barrier " + time;
            case CANCEL:
                return "cancellation of checkpoint " + time;
            case OUTPUT:
                return "output " + index + " for key " + key + " at " + time;
            case HANDED_OVER:
                return "handed over " + handover();
            case TAKEN_OVER:
                return "taken over " + handover() + " of " + key;
            default:
                return kind.toString().toLowerCase(java.util.Locale.ROOT);
        }
    }
}
