// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.bench;

import static java.util.stream.Collectors.toList;

import io.meces.examples.nexmark.NexmarkJob;
import io.meces.examples.nexmark.NexmarkQuery;
import io.meces.examples.nexmark.WindowLengths;
import io.meces.experiments.traffic.NexmarkTraffic;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.annotation.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code meces bench nexmark}, and what can be chosen about it. */
@Command(
        name = "nexmark",
        description = {
            "Rescales queries of NEXMark by several mechanisms side by side, as bench key-count"
                    + " does, on this machine or, with --cluster, on clusters that run already; all"
                    + " keyed operators of a query at once.",
            "Marker records bypass windows; their latency is reported beside the event-time"
                    + " latency of the results. The results are compared with those of a"
                    + " single-threaded implementation, line for line.",
            "A run takes about a minute, so all queries by all mechanisms take 25. The windows of"
                    + " the default are long: with less load than they last, they are not full.",
            ""
        })
public final class NexmarkOptions extends BenchOptions {
    @Option(
            names = "--queries",
            paramLabel = "Qn",
            split = ",",
            defaultValue = "Q1,Q2,Q3,Q4,Q5,Q6,Q7,Q8")
    public List<NexmarkQuery> queries = new ArrayList<>(Arrays.asList(NexmarkQuery.values()));

    @Nullable
    @Option(names = "--window", paramLabel = "MS")
    public Long windowMillis;

    @Nullable
    @Option(names = "--slide", paramLabel = "MS")
    public Long slideMillis;

    @Override
    protected String reportName() {
        return "bench-nexmark";
    }

    @Override
    List<Workload> workloads() {
        return queries.stream().map(this::workload).collect(toList());
    }

    /** A query, all of whose keyed operators are rescaled at once. */
    private Workload workload(NexmarkQuery query) {
        WindowLengths own = query.windows();
        WindowLengths windows =
                own.with(
                        own.sizeMillis > 0 && windowMillis != null ? windowMillis : own.sizeMillis,
                        own.slideMillis > 0 && slideMillis != null ? slideMillis : own.slideMillis);
        List<String> arguments = new ArrayList<>(Arrays.asList("--query", query.toString()));
        if (windows.sizeMillis > 0) {
            arguments.addAll(Arrays.asList("--window", String.valueOf(windows.sizeMillis)));
        }
        if (windows.slideMillis > 0) {
            arguments.addAll(Arrays.asList("--slide", String.valueOf(windows.slideMillis)));
        }
        Map<String, Object> parameters = new LinkedHashMap<>();
        parameters.put("query", query.toString());
        parameters.put("window", windows.sizeMillis);
        parameters.put("slide", windows.slideMillis);
        return new Workload(
                "nexmark-" + query,
                NexmarkJob.class,
                arguments,
                query.operators(),
                parameters,
                environment ->
                        new NexmarkTraffic(
                                query,
                                windows,
                                seed,
                                rate(),
                                recordsPerMarker(),
                                environment.topics(),
                                environment.watchdog()));
    }

    @Override
    int steadyRate() {
        return 2_000;
    }

    @Override
    public void validate() {
        super.validate();
        require(!queries.isEmpty(), "--queries takes at least one query.");
        require(
                scenario() != Scenario.SKEW && scenario() != Scenario.BACK_PRESSURE,
                "The scenario " + scenario() + " is for key-count; NEXMark is skewed as it is.");
        require(windowMillis == null || windowMillis > 1, "--window has to be more than 1 ms.");
    }
}
