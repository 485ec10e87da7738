// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.mechanisms;

import io.meces.examples.nexmark.NexmarkJob;
import io.meces.examples.nexmark.NexmarkQuery;
import io.meces.examples.nexmark.WindowLengths;
import io.meces.experiments.harness.JobTopics;
import io.meces.experiments.run.Watchdog;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A query of NEXMark, all of whose keyed operators are rescaled at once. */
final class NexmarkWorkload implements Workload {
    private final NexmarkOptions options;
    private final NexmarkQuery query;
    private final WindowLengths windows;

    NexmarkWorkload(NexmarkOptions options, NexmarkQuery query) {
        this.options = options;
        this.query = query;
        WindowLengths own = query.windows();
        this.windows =
                own.with(
                        own.sizeMillis > 0 && options.windowMillis != null
                                ? options.windowMillis
                                : own.sizeMillis,
                        own.slideMillis > 0 && options.slideMillis != null
                                ? options.slideMillis
                                : own.slideMillis);
    }

    @Override
    public String name() {
        return "nexmark-" + query;
    }

    @Override
    public Map<String, Object> parameters() {
        Map<String, Object> parameters = new LinkedHashMap<>();
        parameters.put("query", query.toString());
        parameters.put("window", windows.sizeMillis);
        parameters.put("slide", windows.slideMillis);
        return parameters;
    }

    @Override
    public String mainClass() {
        return NexmarkJob.class.getName();
    }

    @Override
    public List<String> jobArguments() {
        List<String> arguments = new ArrayList<>(Arrays.asList("--query", query.toString()));
        if (windows.sizeMillis > 0) {
            arguments.addAll(Arrays.asList("--window", String.valueOf(windows.sizeMillis)));
        }
        if (windows.slideMillis > 0) {
            arguments.addAll(Arrays.asList("--slide", String.valueOf(windows.slideMillis)));
        }
        return arguments;
    }

    @Override
    public List<String> vertices() {
        return query.operators();
    }

    @Override
    public Traffic open(JobTopics topics, Watchdog watchdog) {
        return new NexmarkTraffic(options, query, windows, topics, watchdog);
    }
}
