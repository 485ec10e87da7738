// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.transition;

import io.meces.core.exchange.ExchangeMetrics;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Histogram;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.runtime.metrics.DescriptiveStatisticsHistogram;

/**
 * What a TaskManager's tasks and its transition service count, in the metric group {@code
 * meces.transition} of the TaskManager. Thread-safe.
 */
public final class TransitionMetrics implements ExchangeMetrics {

    private static final int SAMPLES = 1_000;

    private final Counter requests;
    private final Counter unitsOnDemand;
    private final Counter unitsInBackground;
    private final Counter unitBytes;
    private final Counter unitBytesUncompressed;
    private final Counter bytesSent;
    private final Counter messagesSent;
    private final Counter flushes;
    private final Counter repeated;
    private final Counter reconnects;
    private final Map<DropReason, Counter> dropped = new EnumMap<>(DropReason.class);
    private final AtomicLong bytesRetained = new AtomicLong();
    private final Histogram fetchMicros;
    private final Histogram confirmMicros;

    /** Registers the metrics in a sub-group of the group. */
    public TransitionMetrics(MetricGroup parent) {
        MetricGroup group = parent.addGroup("meces").addGroup("transition");
        requests = counter(group, "requests");
        unitsOnDemand = counter(group, "unitsOnDemand");
        unitsInBackground = counter(group, "unitsInBackground");
        unitBytes = counter(group, "unitBytes");
        unitBytesUncompressed = counter(group, "unitBytesUncompressed");
        bytesSent = counter(group, "bytesSent");
        messagesSent = counter(group, "messagesSent");
        flushes = counter(group, "flushes");
        repeated = counter(group, "messagesRepeated");
        reconnects = counter(group, "reconnects");
        MetricGroup drops = group.addGroup("dropped");
        for (DropReason reason : DropReason.values()) {
            dropped.put(reason, counter(drops, reason.name()));
        }
        group.gauge("bytesRetained", bytesRetained::get);
        fetchMicros = histogram(group, "fetchMicros");
        confirmMicros = histogram(group, "confirmMicros");
    }

    /** Metrics that are seen by nobody but the caller. */
    public static TransitionMetrics unregistered() {
        return new TransitionMetrics(new UnregisteredMetricsGroup());
    }

    private static Counter counter(MetricGroup group, String name) {
        return group.counter(name, new SharedCounter());
    }

    private static Histogram histogram(MetricGroup group, String name) {
        return group.histogram(name, new DescriptiveStatisticsHistogram(SAMPLES));
    }

    @Override
    public void requested() {
        requests.inc();
    }

    @Override
    public void granted(boolean onDemand) {
        (onDemand ? unitsOnDemand : unitsInBackground).inc();
    }

    /**
     * A donor has serialised a unit.
     *
     * @param bytes of the unit as it will be sent
     * @param saved by how much it was larger before it was compressed
     */
    public void extracted(long bytes, long saved) {
        unitBytes.inc(bytes);
        unitBytesUncompressed.inc(bytes + saved);
    }

    /** Bytes of all units that were serialised, as they were sent. */
    public long unitBytes() {
        return unitBytes.getCount();
    }

    /** Bytes of all units that were serialised, before they were compressed. */
    public long unitBytesUncompressed() {
        return unitBytesUncompressed.getCount();
    }

    /** A service has sent something to another TaskManager, or to a broker or store. */
    public void sent(long bytes) {
        messagesSent.inc();
        bytesSent.inc(bytes);
    }

    /** A service has handed what was collected to the network, in one I/O as a rule. */
    public void flushed() {
        flushes.inc();
    }

    /** How often messages were handed to the network. */
    public long flushes() {
        return flushes.getCount();
    }

    @Override
    public void repeated(long messages) {
        repeated.inc(messages);
    }

    /** A connection that was lost stands again. */
    public void reconnected() {
        reconnects.inc();
    }

    @Override
    public void duplicates(long messages) {
        dropped(DropReason.DUPLICATE, messages);
    }

    @Override
    public void stale() {
        dropped(DropReason.STALE);
    }

    @Override
    public void malformed() {
        dropped(DropReason.MALFORMED);
    }

    public void dropped(DropReason reason) {
        dropped(reason, 1);
    }

    public void dropped(DropReason reason, long messages) {
        dropped.get(reason).inc(messages);
    }

    /** How many messages were dropped for a reason. */
    public long droppedFor(DropReason reason) {
        return dropped.get(reason).getCount();
    }

    /** Bytes of units that are sent and not confirmed have changed. */
    public void retained(long difference) {
        bytesRetained.addAndGet(difference);
    }

    /** Connections that were lost and stand again. */
    public long reconnects() {
        return reconnects.getCount();
    }

    /** Messages that were sent to other TaskManagers, brokers or stores. */
    public long messagesSent() {
        return messagesSent.getCount();
    }

    /** Messages that were sent again. */
    public long messagesRepeated() {
        return repeated.getCount();
    }

    @Override
    public synchronized void fetched(long nanos) {
        fetchMicros.update(nanos / 1_000);
    }

    @Override
    public synchronized void confirmed(long nanos) {
        confirmMicros.update(nanos / 1_000);
    }
}
