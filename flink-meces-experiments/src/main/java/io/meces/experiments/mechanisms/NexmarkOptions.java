// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.mechanisms;

import io.meces.examples.nexmark.NexmarkQuery;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import javax.annotation.Nullable;
import picocli.CommandLine.Option;

/** What can be chosen about the NEXMark experiment. */
public final class NexmarkOptions extends ExperimentOptions {
    private static final int DEFAULT_HEAP_MEGABYTES = 1_024;

    @Option(
            names = "--queries",
            paramLabel = "Qn",
            split = ",",
            defaultValue = "Q1,Q2,Q3,Q4,Q5,Q6,Q7,Q8",
            description = "Which queries. Default: ${DEFAULT-VALUE}.")
    public List<NexmarkQuery> queries = new ArrayList<>(Arrays.asList(NexmarkQuery.values()));

    @Nullable
    @Option(
            names = "--window",
            paramLabel = "MS",
            description =
                    "Length of the windows of all queries that have some. Default: those of the"
                            + " query (60 s for Q5, 10 s for Q6 and Q7, 100 s for Q8, 600 s for"
                            + " Q3).")
    public Long windowMillis;

    @Nullable
    @Option(
            names = "--slide",
            paramLabel = "MS",
            description = "How often sliding windows begin. Default: 1000.")
    public Long slideMillis;

    @Override
    int steadyRate() {
        return 2_000;
    }

    @Override
    int heapMegabytes() {
        return taskManagerHeapMegabytes == null ? DEFAULT_HEAP_MEGABYTES : taskManagerHeapMegabytes;
    }

    @Override
    public void validate() {
        super.validate();
        require(!queries.isEmpty(), "--queries takes at least one query.");
        require(
                scenario() != Scenario.SKEW && scenario() != Scenario.BACK_PRESSURE,
                "The scenario " + scenario() + " is for key-count; NEXMark is skewed as it is.");
        require(windowMillis == null || windowMillis > 1, "--window has to be more than 1 ms.");
        require(slideMillis == null || slideMillis > 0, "--slide has to be positive.");
    }
}
