// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.demo;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.meces.api.RescaleDetails;
import io.meces.api.RescaleStatus;
import io.meces.examples.keycount.CountResult;
import io.meces.experiments.cluster.FlinkClient;
import io.meces.experiments.cluster.Installation;
import io.meces.experiments.measure.ExactnessVerifier;
import io.meces.experiments.measure.Interval;
import io.meces.experiments.measure.Samples;
import io.meces.experiments.run.JobHealth;
import io.meces.experiments.run.Json;
import io.meces.experiments.run.RedisRemains;
import io.meces.experiments.run.RescaleRun;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import javax.imageio.ImageIO;
import okhttp3.mockwebserver.MockResponse;
import okhttp3.mockwebserver.MockWebServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a run leaves behind. */
class ReportTest {
    private static final long START = 1_700_000_000_000_000L;
    private static final int SECONDS = 20;

    @TempDir private Path directory;

    @Test
    void theJsonHasWhatProgramsLookFor() throws Exception {
        KeyCountDemo result = result(RescaleStatus.FINISHED, 0);
        Path file = directory.resolve("report.json");

        Json.write(result.report(null), file);

        JsonNode json = new ObjectMapper().readTree(file.toFile());
        assertThat(json.path("records").asLong()).isEqualTo(SECONDS * 1_000);
        assertThat(json.path("results").asLong()).isEqualTo(SECONDS * 1_000);
        assertThat(json.path("lost").asLong(-1)).isZero();
        assertThat(json.path("duplicated").asLong(-1)).isZero();
        assertThat(json.path("reordered").asLong(-1)).isZero();
        assertThat(json.path("exact").asBoolean()).isTrue();
        JsonNode rescale = json.path("rescales").path(0);
        assertThat(rescale.path("from").asInt()).isEqualTo(2);
        assertThat(rescale.path("to").asInt()).isEqualTo(3);
        assertThat(rescale.path("duration-ms").asLong()).isEqualTo(1_900);
        assertThat(rescale.path("first-record-ms").asLong()).isEqualTo(300);
        assertThat(rescale.path("start-ms").asDouble()).isEqualTo(10_000);
        assertThat(rescale.path("behind-ms").asDouble()).isBetween(8.0, 11.0);
        assertThat(rescale.path("backlog-records").asInt()).isBetween(5, 12);
        assertThat(json.path("overloaded").asBoolean(true)).isFalse();
        for (String phase : new String[] {"steady", "rescale"}) {
            JsonNode latency = json.path("latency-ms").path(phase);
            for (String statistic : new String[] {"p50", "p99", "p99.9", "max"}) {
                assertThat(latency.path(statistic).isNumber()).as(phase + statistic).isTrue();
            }
        }
        assertThat(json.path("latency-ms").path("steady").path("max").asDouble()).isLessThan(20);
        assertThat(json.path("latency-ms").path("rescale").path("max").asDouble())
                .isBetween(195.0, 210.0);
        assertThat(json.path("longest-gap-ms").isNumber()).isTrue();
        assertThat(json.path("restarted").asBoolean(true)).isFalse();
        assertThat(json.path("versions").path("flink").asText()).isEqualTo("1.12.7");
        assertThat(json.path("parameters").path("rate").asInt()).isEqualTo(5_000);
    }

    @Test
    void aRunIsASuccessOnlyIfAllWentWell() throws Exception {
        assertThat(result(RescaleStatus.FINISHED, 0).isSuccess()).isTrue();
        assertThat(result(RescaleStatus.FAILED, 0).isSuccess()).isFalse();
        assertThat(result(RescaleStatus.FINISHED, 1).isSuccess()).isFalse();
        assertThat(resultWithRedis(0).isSuccess()).isTrue();
        assertThat(resultWithRedis(1).isSuccess()).isFalse();
    }

    @Test
    void whatIsLeftInRedisIsSaid() throws Exception {
        StringWriter empty = new StringWriter();
        StringWriter notEmpty = new StringWriter();

        print(resultWithRedis(0), empty);
        print(resultWithRedis(3), notEmpty);

        assertThat(empty.toString()).contains("Redis is empty: 77 writes; 0 payloads left.");
        assertThat(notEmpty.toString()).contains("Redis IS NOT EMPTY: 77 writes; 3 payloads left.");
    }

    @Test
    void aRunThatWasCutShortIsNotExactAndSaysWhy() throws Exception {
        ExactnessVerifier verifier = new ExactnessVerifier(1);
        verifier.accept(new CountResult(0, 1, 1, START, START, 0, true, 0, false));
        KeyCountDemo demo = new KeyCountDemo(options(), installation(), nowhere());
        demo.result().verdict = verifier.verdict(new int[] {2});
        demo.result().verdict.lost = null;
        demo.result().rescales.addAll(result(RescaleStatus.FINISHED, 0).result().rescales);
        Path file = directory.resolve("report.json");
        Json.write(demo.report(new IOException("Ended unexpectedly: kafka.")), file);

        JsonNode json = new ObjectMapper().readTree(file.toFile());
        assertThat(json.path("exact").asBoolean(true)).isFalse();
        assertThat(json.path("error").asText()).isEqualTo("Ended unexpectedly: kafka.");
        assertThat(json.path("records").asInt()).isEqualTo(2);
        assertThat(json.path("results").asInt()).isEqualTo(1);
        assertThat(json.has("lost")).isFalse();
        assertThat(json.path("rescales").path(0).path("first-record-ms").asInt()).isEqualTo(300);
        assertThat(json.path("versions").path("flink").asText()).isEqualTo("1.12.7");
    }

    @Test
    void aRunThatFailedBeforeItsFirstRecordHasAReport() throws Exception {
        Path file = directory.resolve("report.json");

        Json.write(
                new KeyCountDemo(options(), installation(), nowhere())
                        .report(new IllegalStateException()),
                file);

        JsonNode json = new ObjectMapper().readTree(file.toFile());
        assertThat(json.path("exact").asBoolean(true)).isFalse();
        assertThat(json.path("error").asText()).isEqualTo("java.lang.IllegalStateException");
        assertThat(json.path("records").asInt(-1)).isZero();
        assertThat(json.path("results").asInt(-1)).isZero();
    }

    @Test
    void anOverloadIsCalledOne() throws Exception {
        StringWriter text = new StringWriter();
        int[] latencies = new int[SECONDS * 1_000];
        Arrays.setAll(latencies, i -> i / 2);

        print(result(RescaleStatus.FINISHED, 0, latencies), text);

        assertThat(text.toString())
                .contains("Overload: the job fell behind")
                .contains("the job was 31")
                .contains("ms behind: 33");
    }

    @Test
    void thePlotIsAPicture() throws Exception {
        Path file = directory.resolve("latency.png");

        DemoReport.plot(result(RescaleStatus.FINISHED, 0).result(), file);

        BufferedImage image = ImageIO.read(file.toFile());
        assertThat(image.getWidth()).isEqualTo(1_200);
        assertThat(image.getHeight()).isGreaterThan(600);
    }

    @Test
    void theSummarySaysWhetherItWasExact() throws Exception {
        StringWriter text = new StringWriter();

        print(result(RescaleStatus.FINISHED, 0), text);

        assertThat(text.toString())
                .contains("steady")
                .contains("rescale 2 to 3")
                .contains("FINISHED after 1900 ms, first record at a new owner after 300 ms;")
                .contains("When it began, the job was 9 ms behind")
                .contains("Longest time without a completed checkpoint: 1250 ms.")
                .doesNotContain("Overload")
                .contains("0 lost, 0 duplicated, 0 reordered, 0 unknown: exact.")
                .contains("No task was restarted");
    }

    private KeyCountDemo result(RescaleStatus status, int attempt) throws Exception {
        int[] latencies = new int[SECONDS * 1_000];
        Arrays.setAll(latencies, i -> i >= 10_000 && i < 12_000 ? 100 + i % 100 : 5 + i % 7);
        return result(status, attempt, latencies);
    }

    private KeyCountDemo resultWithRedis(long payloads) throws Exception {
        KeyCountDemo demo = result(RescaleStatus.FINISHED, 0);
        demo.result().redis = new RedisRemains(77, payloads);
        return demo;
    }

    private DemoOptions options() {
        DemoOptions options = new DemoOptions();
        options.report = directory.resolve("report.json");
        return options;
    }

    private Installation installation() {
        return new Installation(directory);
    }

    private static PrintWriter nowhere() {
        return new PrintWriter(new StringWriter());
    }

    private void print(KeyCountDemo demo, StringWriter text) {
        new DemoReport(demo, installation(), null).print(new PrintWriter(text));
    }

    /** A record is due each ms. */
    private KeyCountDemo result(RescaleStatus status, int attempt, int[] latencies)
            throws Exception {
        ExactnessVerifier verifier = new ExactnessVerifier(1);
        Samples samples = new Samples();
        int count = latencies.length;
        for (int i = 0; i < count; i++) {
            long due = START + i * 1_000L;
            verifier.accept(new CountResult(0, i + 1, i + 1, due, due, 0, true, 0, false));
            samples.add(due, due / 1_000 + latencies[i]);
        }
        RescaleDetails details =
                RescaleDetails.of("cafe", status)
                        .time(START / 1_000, 1_900)
                        .firstRecordMs(300L)
                        .longestWithoutCheckpointMs(1_250L)
                        .build();
        Interval rescale = new Interval(START + 10_000_000, START + 12_000_000);
        KeyCountDemo demo = new KeyCountDemo(options(), installation(), nowhere());
        demo.result().verdict = verifier.verdict(new int[] {count});
        demo.result().samples = samples;
        demo.result().load = new Interval(START, START + SECONDS * 1_000_000L);
        demo.result().rescales.add(new RescaleRun(2, 3, details, rescale));
        demo.result().health = health(attempt);
        return demo;
    }

    private static JobHealth health(int attempt) throws Exception {
        try (MockWebServer server = new MockWebServer()) {
            server.enqueue(
                    new MockResponse()
                            .setBody("{\"vertices\":[{\"id\":\"v\",\"name\":\"count\"}]}"));
            server.enqueue(
                    new MockResponse()
                            .setBody(
                                    "{\"subtasks\":[{\"subtask\":0,\"attempt\":0},"
                                            + "{\"subtask\":1,\"attempt\":"
                                            + attempt
                                            + "},{\"subtask\":2,\"attempt\":1}]}"));
            server.enqueue(
                    new MockResponse().setBody("[{\"id\":\"numRestarts\",\"value\":\"0\"}]"));
            server.enqueue(
                    new MockResponse().setBody("{\"counts\":{\"completed\":4,\"failed\":0}}"));
            server.start();
            return JobHealth.of(
                    new FlinkClient(server.getHostName() + ":" + server.getPort()),
                    "j",
                    Collections.singletonList("count"),
                    2);
        }
    }
}
