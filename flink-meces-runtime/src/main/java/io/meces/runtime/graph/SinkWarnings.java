// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.graph;

import io.meces.runtime.sink.KafkaWriters;
import io.meces.runtime.sink.PartFiles;
import io.meces.runtime.sink.SinkDrains;
import java.util.ArrayList;
import java.util.List;
import javax.annotation.Nullable;
import org.apache.flink.runtime.jobgraph.JobVertex;
import org.apache.flink.streaming.api.graph.StreamConfig;
import org.apache.flink.streaming.api.operators.SimpleOperatorFactory;
import org.apache.flink.streaming.api.operators.StreamOperatorFactory;

/**
 * What those who know a kind of sinks say of it where it is rescaled.
 *
 * <p>Pure.
 */
final class SinkWarnings {

    private SinkWarnings() {}

    static List<String> of(JobVertex vertex, ClassLoader userCode) {
        SinkDrains drains = SinkDrains.of(userCode);
        List<String> warnings = new ArrayList<>();
        for (StreamConfig config :
                new StreamConfig(vertex.getConfiguration())
                        .getTransitiveChainedTaskConfigsWithSelf(userCode)
                        .values()) {
            StreamOperatorFactory<?> factory = config.getStreamOperatorFactory(userCode);
            SinkDrains.Drainable sink =
                    factory instanceof SimpleOperatorFactory
                            ? drains.find(((SimpleOperatorFactory<?>) factory).getOperator())
                            : null;
            String warning = sink == null ? warning(factory) : sink.warning();
            if (warning != null) {
                warnings.add(
                        "Operator '"
                                + config.getOperatorName()
                                + "' of vertex '"
                                + vertex.getName()
                                + "' "
                                + warning);
            }
        }
        return warnings;
    }

    @Nullable
    private static String warning(StreamOperatorFactory<?> factory) {
        String ofFiles = PartFiles.warning(factory);
        return ofFiles == null ? KafkaWriters.warning(factory) : ofFiles;
    }
}
