// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.source;

import io.meces.runtime.sink.ConnectorReflection;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import javax.annotation.Nullable;
import org.apache.flink.metrics.MetricGroup;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How many records a Kafka source is behind: what its consumers tell as the lag of each partition,
 * summed up, as {@code pendingRecords} (FLIP-33). The connector of Flink 1.12 has no such metric.
 * Read when metrics are, by any thread. It is part of the job, in a version of its own, and reached
 * by name; where it is not as expected, the source has no such metric.
 */
public final class PendingRecords {

    private static final Logger LOG = LoggerFactory.getLogger(PendingRecords.class);
    private static final String CONNECTOR = "org.apache.flink.connector.";
    private static final String KAFKA = "org.apache.flink.streaming.connectors.kafka.";

    private final Object source;

    private PendingRecords(Object source) {
        this.source = source;
    }

    /**
     * Registers the metric if there is something to tell.
     *
     * @param source the source function, or the reader of a source
     * @param operator its metrics
     */
    public static void register(Object source, MetricGroup operator) {
        PendingRecords pending = new PendingRecords(source);
        if (pending.isKafka()) {
            operator.gauge("pendingRecords", pending::count);
        }
    }

    private boolean isKafka() {
        return ConnectorReflection.superclass(source, KAFKA + "FlinkKafkaConsumer") != null
                || isKafkaReader();
    }

    private boolean isKafkaReader() {
        return ConnectorReflection.superclass(
                        source, CONNECTOR + "kafka.source.reader.KafkaSourceReader")
                != null;
    }

    private long count() {
        double lag = 0;
        try {
            for (Object consumer : consumers()) {
                lag += lag(consumer);
            }
        } catch (Exception e) {
            LOG.debug("The lag of {} is unknown.", source, e);
        }
        return (long) lag;
    }

    private List<Object> consumers() throws Exception {
        List<Object> consumers = new ArrayList<>();
        if (isKafkaReader()) {
            String base = CONNECTOR + "base.source.reader.";
            Object manager =
                    ConnectorReflection.get(
                            source, base + "SourceReaderBase", "splitFetcherManager");
            Map<?, ?> fetchers =
                    (Map<?, ?>)
                            ConnectorReflection.get(
                                    manager, base + "fetcher.SplitFetcherManager", "fetchers");
            for (Object fetcher : fetchers.values()) {
                Object reader =
                        ConnectorReflection.get(
                                fetcher, base + "fetcher.SplitFetcher", "splitReader");
                consumers.add(
                        ConnectorReflection.get(
                                reader,
                                CONNECTOR + "kafka.source.reader.KafkaPartitionSplitReader",
                                "consumer"));
            }
            return consumers;
        }
        Object fetcher =
                ConnectorReflection.get(source, KAFKA + "FlinkKafkaConsumerBase", "kafkaFetcher");
        Object thread = orNull(fetcher, KAFKA + "internals.KafkaFetcher", "consumerThread");
        Object consumer = orNull(thread, KAFKA + "internals.KafkaConsumerThread", "consumer");
        return consumer == null ? Collections.emptyList() : Collections.singletonList(consumer);
    }

    /** Before the source runs there is nothing yet. */
    @Nullable
    private static Object orNull(@Nullable Object object, String declaring, String name) {
        return object == null ? null : ConnectorReflection.get(object, declaring, name);
    }

    private static double lag(Object consumer) throws Exception {
        Map<?, ?> metrics = (Map<?, ?>) ConnectorReflection.callPublic(consumer, "metrics");
        double lag = 0;
        for (Object metric : metrics.values()) {
            Object name = ConnectorReflection.callPublic(metric, "metricName");
            if ("records-lag".equals(ConnectorReflection.callPublic(name, "name"))) {
                Object value = ConnectorReflection.callPublic(metric, "metricValue");
                if (value instanceof Double && (Double) value > 0) {
                    lag += (Double) value;
                }
            }
        }
        return lag;
    }
}
