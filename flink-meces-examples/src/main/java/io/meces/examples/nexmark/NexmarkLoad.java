// SPDX-License-Identifier: Apache-2.0
package io.meces.examples.nexmark;

import io.meces.examples.load.OpenLoopSender;
import java.util.function.Consumer;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * Events and markers for Kafka. The events of all partitions in turn, so that each partition is
 * ordered by event time and none holds the watermark back.
 *
 * <pre>{@code
 * EventGenerator generator = new EventGenerator(seed, new OpenLoopSchedule(startMicros, rate));
 * try (OpenLoopSender sender = new OpenLoopSender(bootstrapServers, watchdog::fail)) {
 *     sender.start(generator.schedule(), new NexmarkLoad(generator, topic, partitions, every));
 *     ...
 *     sender.stop(timeout);
 * }
 * }</pre>
 */
public final class NexmarkLoad implements OpenLoopSender.Records {
    private final EventGenerator generator;
    private final String topic;
    private final int partitions;
    private final int eventsPerMarker;

    /**
     * The load of a generator.
     *
     * @param topic where to
     * @param partitions of the topic
     * @param eventsPerMarker a marker goes behind the first of so many events; 0 for no markers
     */
    public NexmarkLoad(
            EventGenerator generator, String topic, int partitions, int eventsPerMarker) {
        this.generator = generator;
        this.topic = topic;
        this.partitions = partitions;
        this.eventsPerMarker = eventsPerMarker;
    }

    @Override
    public void due(long index, long dueMicros, Consumer<ProducerRecord<byte[], byte[]>> out) {
        send(index, generator.event(index), out);
        if (eventsPerMarker > 0 && index % eventsPerMarker == 0) {
            long number = index / eventsPerMarker;
            send(number, new Marker(number, dueMicros), out);
        }
    }

    private void send(long number, Event event, Consumer<ProducerRecord<byte[], byte[]>> out) {
        int partition = (int) (number % partitions);
        out.accept(new ProducerRecord<>(topic, partition, null, event.toBytes()));
    }
}
