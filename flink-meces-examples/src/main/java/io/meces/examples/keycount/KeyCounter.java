// SPDX-License-Identifier: Apache-2.0
package io.meces.examples.keycount;

import io.meces.flink.examples.ExampleJobs;
import io.meces.flink.examples.KeyedFunction;
import java.util.Random;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.util.Collector;

/**
 * Counts the records of each key and notes whether each is the successor of the one before.
 *
 * @param <K> the type of the key
 */
public final class KeyCounter<K> extends KeyedFunction<K, Event, CountResult> {
    private static final long serialVersionUID = 1L;

    private final long workNanos;
    private final long workFrom;
    private final int payloadBytes;

    private transient ValueState<Long> count;
    private transient ValueState<Long> lastSequence;
    private transient ValueState<byte[]> payload;
    private transient int subtask;

    /**
     * A counter.
     *
     * @param workMicros the least time, in µs, that it takes for a record
     * @param workFrom the {@link Event#ordinal} of the first record for which it does
     * @param payloadBytes how much state a key has besides
     */
    public KeyCounter(long workMicros, long workFrom, int payloadBytes) {
        this.workNanos = workMicros * 1_000L;
        this.workFrom = workFrom;
        this.payloadBytes = payloadBytes;
    }

    @Override
    protected void opened() {
        count = getRuntimeContext().getState(new ValueStateDescriptor<>("count", Long.class));
        lastSequence =
                getRuntimeContext()
                        .getState(new ValueStateDescriptor<>("last-sequence", Long.class));
        if (payloadBytes > 0) {
            payload =
                    getRuntimeContext()
                            .getState(new ValueStateDescriptor<>("payload", byte[].class));
        }
        subtask = ExampleJobs.subtask(getRuntimeContext());
    }

    @Override
    public void processElement(Event event, Context context, Collector<CountResult> out)
            throws Exception {
        if (event.ordinal >= workFrom) {
            Work.atLeast(workNanos);
        }
        Long before = count.value();
        Long predecessor = lastSequence.value();
        long after = before == null ? 1 : before + 1;
        long expected = predecessor == null ? 1 : predecessor + 1;
        if (payloadBytes > 0) {
            touchPayload(event.key);
        }
        count.update(after);
        lastSequence.update(event.sequence);
        out.collect(
                new CountResult(
                        event.key,
                        after,
                        event.sequence,
                        event.intendedMicros,
                        EpochMicros.now(),
                        subtask,
                        event.sequence == expected,
                        event.readMicros,
                        event.marker));
    }

    /** Gives the key its payload, or looks whether it is the one that the key was given. */
    private void touchPayload(long key) throws Exception {
        byte[] bytes = payload.value();
        if (bytes == null) {
            bytes = new byte[payloadBytes];
            // random, or a file system or a network that compresses would make it nothing
            new Random(key).nextBytes(bytes);
            bytes[0] = (byte) key;
            payload.update(bytes);
        } else if (bytes.length != payloadBytes || bytes[0] != (byte) key) {
            throw new IllegalStateException("Key " + key + " has the payload of another one.");
        }
    }
}
