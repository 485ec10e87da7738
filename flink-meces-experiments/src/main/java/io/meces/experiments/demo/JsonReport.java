// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.demo;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.meces.experiments.cluster.Installation;
import io.meces.experiments.harness.LatencyAnalysis;
import io.meces.experiments.harness.LatencyStatistics;
import io.meces.experiments.harness.RescaleRun;
import io.meces.experiments.run.Machine;
import java.io.IOException;
import java.nio.file.Path;

/** The report of a demo for programs. */
final class JsonReport {
    private static final ObjectMapper MAPPER =
            new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

    private JsonReport() {}

    static void write(DemoResult result, Path file) throws IOException {
        MAPPER.writeValue(file.toFile(), toJson(result));
    }

    /** Writes the report of a run that a failure has ended. */
    static void write(PartialResult result, Exception failure, Path file) throws IOException {
        MAPPER.writeValue(file.toFile(), toJson(result, failure));
    }

    /** Whether records were lost is not known then, how long what took does not matter. */
    static ObjectNode toJson(PartialResult result, Exception failure) {
        ObjectNode json = MAPPER.createObjectNode();
        json.put("exact", false);
        json.put("error", failure.getMessage() == null ? failure.toString() : failure.getMessage());
        json.put("records", result.sent);
        if (result.verdict != null) {
            json.put("results", result.verdict.results);
            json.put("duplicated", result.verdict.duplicated);
            json.put("reordered", result.verdict.reordered);
            json.put("unknown", result.verdict.unknown);
        }
        ArrayNode rescales = json.putArray("rescales");
        result.rescales.forEach(run -> rescale(rescales.addObject(), run));
        parameters(json.putObject("parameters"), result.options);
        versions(json.putObject("versions"), result.installation);
        return json;
    }

    /** All times are in ms, those called start-ms since the start of the load. */
    static ObjectNode toJson(DemoResult result) {
        LatencyAnalysis analysis = new LatencyAnalysis(result.samples, result.load);
        LatencyStatistics all = analysis.all();
        LatencyStatistics steady = analysis.outside(result.affected(), result.steadyMicros());
        LatencyStatistics rescale = analysis.within(result.affected());

        ObjectNode json = MAPPER.createObjectNode();
        json.put("records", result.verdict.records);
        json.put("results", result.verdict.results);
        json.put("lost", result.verdict.lost);
        json.put("duplicated", result.verdict.duplicated);
        json.put("reordered", result.verdict.reordered);
        json.put("unknown", result.verdict.unknown);
        json.put("exact", result.verdict.isExact());
        result.verdict.examples.forEach(json.putArray("examples")::add);
        ObjectNode subtasks = json.putObject("results-per-subtask");
        result.verdict.resultsPerSubtask.forEach(
                (subtask, results) -> subtasks.put(String.valueOf(subtask), results));
        rescales(json.putArray("rescales"), result, analysis);
        ObjectNode latency = json.putObject("latency-ms");
        latency(latency.putObject("steady"), steady);
        if (!result.rescales.isEmpty()) {
            latency(latency.putObject("rescale"), rescale);
        }
        json.put("longest-gap-ms", all.longestGapMillis());
        json.put("longest-steady-gap-ms", steady.longestGapMillis());
        if (!result.rescales.isEmpty()) {
            json.put("longest-rescale-gap-ms", rescale.longestGapMillis());
        }
        json.put("overloaded", result.isOverloaded());
        json.put("end-behind-ms", result.backlogAtEnd().behindMillis());
        json.put("end-backlog-records", result.backlogAtEnd().records);
        json.put("load-ms", millis(result.load.endMicros - result.load.startMicros));
        json.put("restarted", result.health.wasRestarted());
        json.put("restarts", result.health.restarts);
        json.put("highest-attempt", result.health.highestAttempt);
        json.put("checkpoints-completed", result.health.checkpointsCompleted);
        json.put("checkpoints-failed", result.health.checkpointsFailed);
        if (result.redisRemains != null) {
            json.put("redis-writes", result.redisRemains.writes);
            json.put("redis-payloads-left", result.redisRemains.payloads);
        }
        parameters(json.putObject("parameters"), result.options);
        versions(json.putObject("versions"), result.installation);
        return json;
    }

    private static void rescales(ArrayNode array, DemoResult result, LatencyAnalysis analysis) {
        for (RescaleRun run : result.rescales) {
            LatencyStatistics statistics = analysis.within(run.affected());
            Backlog backlog = result.backlogAtStart(run);
            ObjectNode json = array.addObject();
            rescale(json, run);
            json.put("start-ms", millis(run.interval.startMicros - result.load.startMicros));
            json.put("behind-ms", backlog.behindMillis());
            json.put("backlog-records", backlog.records);
            latency(json.putObject("latency-ms"), statistics);
            json.put("longest-gap-ms", statistics.longestGapMillis());
        }
    }

    private static void rescale(ObjectNode json, RescaleRun run) {
        json.put("from", run.from);
        json.put("to", run.to);
        json.put("status", run.rescale.status().name());
        json.put("duration-ms", run.rescale.durationMs());
        json.put("first-record-ms", run.rescale.firstRecordMs());
        json.put("observed-duration-ms", millis(run.interval.endMicros - run.interval.startMicros));
        json.put("steps", run.rescale.stepsCompleted());
        json.put("units", run.rescale.unitsMigrated());
        json.put("units-on-demand", run.rescale.unitsOnDemand());
        json.put("keys-fetched", run.rescale.keysFetched());
        json.put("bytes", run.rescale.bytes());
        json.put("longest-stop-micros", run.rescale.longestStopMicros());
        json.put("records-waited", run.rescale.recordsWaited());
        json.put("total-wait-micros", run.rescale.totalWaitMicros());
        json.put("longest-wait-micros", run.rescale.longestWaitMicros());
        json.put("order-events", run.rescale.orderEvents());
        json.put("longest-without-checkpoint-ms", run.rescale.longestWithoutCheckpointMs());
        json.put("failure", run.rescale.failure());
    }

    private static void latency(ObjectNode json, LatencyStatistics statistics) {
        json.put("records", statistics.records());
        json.put("p50", statistics.percentileMillis(50));
        json.put("p99", statistics.percentileMillis(99));
        json.put("p99.9", statistics.percentileMillis(99.9));
        json.put("max", statistics.maxMillis());
    }

    private static void parameters(ObjectNode json, DemoOptions options) {
        json.put("rate", options.rate);
        json.put("keys", options.keys);
        json.put("seconds", options.seconds);
        json.put("warm-up", options.warmUpSeconds);
        json.put("distribution", options.distribution.toString());
        json.put("key-type", options.keyType);
        json.put("batch-size", options.batchSize);
        json.put("work-micros", options.workMicros);
        json.put("checkpoint-interval", options.checkpointIntervalMillis);
        json.put("buffer-timeout", options.bufferTimeoutMillis);
        json.put("seed", options.seed);
        json.put("stock", options.stock);
        json.put("transition-service", options.transitionService);
    }

    private static void versions(ObjectNode json, Installation installation) {
        json.setAll((ObjectNode) MAPPER.valueToTree(Machine.describe(installation)));
        json.put("kafka", installation.kafkaVersion());
    }

    private static double millis(long micros) {
        return micros / 1_000.0;
    }
}
