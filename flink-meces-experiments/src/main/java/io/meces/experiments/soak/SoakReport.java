// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.soak;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.meces.experiments.harness.ExactnessVerifier;
import io.meces.experiments.harness.LatencyAnalysis;
import io.meces.experiments.harness.LatencyStatistics;
import io.meces.experiments.run.Machine;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Locale;

/** The report of a soak, for machines and for people. */
final class SoakReport {
    private static final ObjectMapper MAPPER =
            new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

    private SoakReport() {}

    static void write(SoakResult result, Path file) throws IOException {
        MAPPER.writeValue(file.toFile(), toJson(result));
    }

    /** Latencies are in ms; start-ms is the time since the start of the load. */
    static ObjectNode toJson(SoakResult result) {
        ObjectNode json = MAPPER.createObjectNode();
        json.put("success", result.isSuccess());
        json.put("seed", result.seed);
        json.put("minutes", result.options.minutes);
        json.put("records", result.verdict.records);
        json.put("results", result.verdict.results);
        json.put("lost", result.verdict.lost);
        json.put("duplicated", result.verdict.duplicated);
        json.put("reordered", result.verdict.reordered);
        json.put("unknown", result.verdict.unknown);
        json.put("overtaken-in-topic", result.verdict.overtaken);
        result.verdict.examples.forEach(json.putArray("examples")::add);
        result.complaints().forEach(json.putArray("complaints")::add);
        json.put("rescales", result.rescales());
        json.put("rescales-finished", result.rescales("FINISHED"));
        json.put("rescales-failed", result.rescales("FAILED"));
        json.put("rescales-aborted", result.rescales("ABORTED"));
        json.put("kills", result.kills());
        json.put("restarts", result.health.restarts);
        json.put("savepoints", result.savepoints("DONE"));
        json.put("savepoints-failed", result.savepoints("FAILED"));
        json.put("checkpoints-completed", result.checkpoints.completed());
        json.put("checkpoints-failed", result.checkpoints.failed());
        json.put("longest-without-checkpoint-ms", result.checkpoints.longestMillis());
        LatencyAnalysis analysis = new LatencyAnalysis(result.samples, result.load);
        ObjectNode latency = json.putObject("latency-ms");
        latency(latency.putObject("all"), analysis.all());
        latency(latency.putObject("quiet"), analysis.outside(result.busy(), 0));
        if (result.redisRemains != null) {
            json.put("redis-payloads-left", result.redisRemains.payloads);
        }
        ArrayNode events = json.putArray("events");
        for (SoakEvent event : result.events) {
            ObjectNode node = events.addObject();
            node.put("start-ms", (event.startMicros - result.load.startMicros) / 1_000);
            node.put("duration-ms", (event.endMicros - event.startMicros) / 1_000);
            node.put("action", event.action.toString());
            if (event.is(SoakAction.Kind.RESCALE)) {
                node.put("from", event.from);
                node.put("attempts", event.attempts);
            }
            node.put("outcome", event.outcome);
            node.put("failure", event.failure);
            if (event.longestWithoutCheckpointMillis != null) {
                node.put("longest-without-checkpoint-ms", event.longestWithoutCheckpointMillis);
            }
        }
        ObjectNode parameters = json.putObject("parameters");
        parameters.put("task-managers", result.options.taskManagers);
        parameters.put("slots", result.options.slots);
        parameters.put("transition-service", result.options.transitionService);
        parameters.put("state-backend", result.options.stateBackend.toString());
        parameters.put("rate", result.options.rate);
        parameters.put("keys", result.options.keys);
        parameters.put("pause", result.options.pauseMillis);
        parameters.put("checkpoint-interval", result.options.checkpointIntervalMillis);
        json.set("versions", MAPPER.valueToTree(Machine.describe(result.installation)));
        return json;
    }

    private static void latency(ObjectNode json, LatencyStatistics statistics) {
        json.put("records", statistics.records());
        json.put("p50", statistics.percentileMillis(50));
        json.put("p99", statistics.percentileMillis(99));
        json.put("p99.9", statistics.percentileMillis(99.9));
        json.put("max", statistics.maxMillis());
        json.put("longest-gap", statistics.longestGapMillis());
    }

    /** Prints the outcome. */
    static void print(SoakResult result, PrintWriter out) {
        ExactnessVerifier.Verdict verdict = result.verdict;
        LatencyAnalysis analysis = new LatencyAnalysis(result.samples, result.load);
        out.println();
        line(
                out,
                "Rescales: %d asked for, %d finished, %d failed, %d aborted. Kills: %d."
                        + " Restarts: %s.",
                result.rescales(),
                result.rescales("FINISHED"),
                result.rescales("FAILED"),
                result.rescales("ABORTED"),
                result.kills(),
                result.health.restarts);
        line(
                out,
                "Checkpoints: %d completed, %d failed; %.1f s at most without one. Savepoints: %d"
                        + " completed, %d failed.",
                result.checkpoints.completed(),
                result.checkpoints.failed(),
                result.checkpoints.longestMillis() / 1e3,
                result.savepoints("DONE"),
                result.savepoints("FAILED"));
        latency(out, "all", analysis.all());
        latency(out, "while nothing was done", analysis.outside(result.busy(), 0));
        line(
                out,
                "%d records, %d committed results: %d lost, %d duplicated, %d reordered, %d"
                        + " unknown; %d overtaken in the topic.",
                verdict.records,
                verdict.results,
                verdict.lost,
                verdict.duplicated,
                verdict.reordered,
                verdict.unknown,
                verdict.overtaken);
        verdict.examples.forEach(example -> out.println("    " + example));
        result.complaints().forEach(complaint -> out.println("    " + complaint));
        if (result.redisRemains != null) {
            line(out, "Redis: %d payloads left.", result.redisRemains.payloads);
        }
        line(out, "Seed %d: %s.", result.seed, result.isSuccess() ? "exact" : "NOT AS IT SHOULD");
        out.flush();
    }

    private static void latency(PrintWriter out, String name, LatencyStatistics statistics) {
        line(
                out,
                "Latency in ms, %s: p50 %.0f, p99 %.0f, p99.9 %.0f, max %.0f.",
                name,
                statistics.percentileMillis(50),
                statistics.percentileMillis(99),
                statistics.percentileMillis(99.9),
                statistics.maxMillis());
    }

    private static void line(PrintWriter out, String format, Object... arguments) {
        out.printf(Locale.ROOT, "  " + format + "%n", arguments);
    }
}
