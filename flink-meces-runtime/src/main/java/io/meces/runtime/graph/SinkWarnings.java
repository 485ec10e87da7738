/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
 * in compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License
 * is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
 * or implied. See the License for the specific language governing permissions and limitations under
 * the License.
 */

package io.meces.runtime.graph;

import io.meces.runtime.sink.PartFiles;
import io.meces.runtime.sink.SinkDrains;
import java.util.ArrayList;
import java.util.List;
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
            String warning = sink == null ? PartFiles.warning(factory) : sink.warning();
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
}
