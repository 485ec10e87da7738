// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.autoscaler;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.meces.api.RescaleDetails;
import io.meces.experiments.harness.LatencyAnalysis;
import io.meces.experiments.harness.LatencyStatistics;
import java.io.IOException;
import java.nio.file.Path;

/** The figures of a run as JSON. Times are in ms, those called start-ms since the load began. */
final class AutoscalerReport {
    private static final ObjectMapper MAPPER =
            new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

    private AutoscalerReport() {}

    static void write(AutoscalerResult result, Path file) throws IOException {
        MAPPER.writeValue(file.toFile(), toJson(result));
    }

    private static ObjectNode toJson(AutoscalerResult result) {
        ObjectNode json = MAPPER.createObjectNode();
        json.put("records", result.verdict.records);
        json.put("results", result.verdict.results);
        json.put("exact", result.verdict.isExact());
        json.put("restarted", result.health.wasRestarted());
        json.put("checkpoints-completed", result.health.checkpointsCompleted);
        json.put("lowest-parallelism", result.parallelism.lowest());
        json.put("highest-parallelism", result.parallelism.highest());
        LatencyStatistics all = new LatencyAnalysis(result.samples, result.load).all();
        json.put("longest-gap-ms", all.longestGapMillis());
        ArrayNode rescales = json.putArray("rescales");
        for (RescaleDetails rescale : result.rescales) {
            rescales.addObject()
                    .put("from", rescale.vertices().get(0).from())
                    .put("to", rescale.vertices().get(0).to())
                    .put("status", rescale.status().toString())
                    .put("cause", String.valueOf(rescale.cause()))
                    .put("start-ms", rescale.startTime() - result.load.startMicros / 1_000L)
                    .put("duration-ms", rescale.durationMs())
                    .put("first-record-ms", rescale.firstRecordMs())
                    .put("failure", rescale.failure());
        }
        return json;
    }
}
