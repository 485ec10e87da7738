// SPDX-License-Identifier: Apache-2.0
package io.meces.examples.nexmark;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.examples.keycount.EpochMicros;
import io.meces.examples.load.OpenLoopSchedule;
import io.meces.examples.load.OpenLoopSender;
import io.meces.runtime.testing.MecesMiniCluster;
import io.meces.servers.KafkaBroker;
import io.meces.servers.ProcessGroup;
import io.meces.servers.ServerFiles;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.java.utils.ParameterTool;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The job with a real Kafka and load on an open-loop schedule. */
@Timeout(400)
class NexmarkJobTest {
    private static final Path LOGS = Paths.get("target", "servers");
    private static final Duration START = Duration.ofSeconds(120);
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final int PARTITIONS = 3;
    private static final int RATE = 1_000;
    private static final int EVENTS = 6_000;
    private static final int EVENTS_PER_MARKER = 50;
    private static final long WINDOW = 2_000;
    private static final long SLIDE = 500;

    private final List<Exception> failures = Collections.synchronizedList(new ArrayList<>());
    private final List<Result> results = new ArrayList<>();

    @Test
    void aRescaleUnderLoadFromKafkaChangesNoResult() throws Exception {
        try (ProcessGroup group = new ProcessGroup("nexmark-test")) {
            ServerFiles files = new ServerFiles(Paths.get(System.getProperty("meces.home")));
            KafkaBroker kafka = KafkaBroker.start(files, group, LOGS);
            kafka.awaitReady(START);
            kafka.createTopic("events", PARTITIONS, Collections.emptyMap());
            kafka.createTopic("results", PARTITIONS, Collections.emptyMap());
            try (MecesMiniCluster cluster = ElasticCluster.start(1, 3);
                    OpenLoopSender sender = new OpenLoopSender(kafka.address(), failures::add);
                    KafkaConsumer<byte[], byte[]> reader = reader(kafka.address())) {
                JobID job = submit(cluster, kafka.address());
                EventGenerator generator =
                        new EventGenerator(1, new OpenLoopSchedule(EpochMicros.now(), RATE));
                NexmarkLoad load =
                        new NexmarkLoad(generator, "events", PARTITIONS, EVENTS_PER_MARKER);
                sender.start(
                        generator.schedule(),
                        (index, dueMicros, out) -> {
                            if (index < EVENTS) {
                                load.due(index, dueMicros, out);
                            }
                        });

                read(reader, all -> markers(all) > 20);
                ElasticCluster.rescale(cluster, job, NexmarkQuery.Q5, 3);
                int before = results.size();
                read(reader, all -> all.size() > before + 10);
                ElasticCluster.rescale(cluster, job, NexmarkQuery.Q5, 2);

                List<String> expected = expected(generator);
                read(
                        reader,
                        all ->
                                sender.sent() >= EVENTS + EVENTS / EVENTS_PER_MARKER
                                        && markers(all) >= EVENTS / EVENTS_PER_MARKER
                                        && lines(generator).size() >= expected.size());
                assertThat(lines(generator)).isEqualTo(expected).hasSizeGreaterThan(10);
                assertThat(markers(results)).isEqualTo(EVENTS / EVENTS_PER_MARKER);
                assertThat(sender.sent()).isEqualTo(EVENTS + EVENTS / EVENTS_PER_MARKER);
                assertThat(results)
                        .allSatisfy(
                                result ->
                                        assertThat(result.latencyMicros())
                                                .isBetween(1L, PATIENCE.toMillis() * 1_000));
                sender.stop(PATIENCE);
                cluster.cancel(job).get(PATIENCE.getSeconds(), TimeUnit.SECONDS);
            }
            assertThat(failures).isEmpty();
        }
    }

    private static JobID submit(MecesMiniCluster cluster, String address) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        String[] arguments = {
            "--query", "q5",
            "--bootstrap-servers", address,
            "--input", "events",
            "--output", "results",
            "--window", String.valueOf(WINDOW),
            "--slide", String.valueOf(SLIDE),
            "--max-parallelism", "32",
            "--checkpoint-interval", "500",
            "--buffer-timeout", "5"
        };
        NexmarkJob.build(env, ParameterTool.fromArgs(arguments));
        return cluster.submit(env.getStreamGraph("nexmark").getJobGraph());
    }

    private static KafkaConsumer<byte[], byte[]> reader(String address) {
        Map<String, Object> config = new HashMap<>();
        config.put(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, address);
        config.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(
                        config, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        List<TopicPartition> partitions =
                IntStream.range(0, PARTITIONS)
                        .mapToObj(partition -> new TopicPartition("results", partition))
                        .collect(Collectors.toList());
        consumer.assign(partitions);
        consumer.seekToBeginning(partitions);
        return consumer;
    }

    private void read(KafkaConsumer<byte[], byte[]> reader, Predicate<List<Result>> enough) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!enough.test(results)) {
            assertThat(System.nanoTime()).as("time, with %s", results).isLessThan(deadline);
            reader.poll(Duration.ofMillis(100))
                    .forEach(record -> results.add(Result.fromBytes(record.value())));
        }
    }

    private static long markers(List<Result> all) {
        return all.stream().filter(result -> result.marker).count();
    }

    /** The lines of the windows that must have ended. */
    private List<String> lines(EventGenerator generator) {
        return results.stream()
                .filter(result -> !result.marker)
                .map(result -> result.line)
                .filter(line -> hasEnded(line, generator))
                .sorted()
                .collect(Collectors.toList());
    }

    private static List<String> expected(EventGenerator generator) {
        List<Event> events =
                LongStream.range(0, EVENTS).mapToObj(generator::event).collect(Collectors.toList());
        return ReferenceQueries.lines(NexmarkQuery.Q5, events, new WindowLengths(WINDOW, SLIDE))
                .stream()
                .filter(line -> hasEnded(line, generator))
                .collect(Collectors.toList());
    }

    private static boolean hasEnded(String line, EventGenerator generator) {
        long end = Long.parseLong(line.substring(0, line.indexOf(' ')));
        return end < generator.event(EVENTS - PARTITIONS).time();
    }
}
