// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.mechanisms;

import io.meces.experiments.harness.JobTopics;
import io.meces.experiments.run.Watchdog;
import java.util.List;
import java.util.Map;
import javax.annotation.Nullable;

/** A job and what it works on. */
interface Workload {

    /** For names of files and for titles. */
    String name();

    /** What is special about it, for the report. */
    Map<String, Object> parameters();

    /** The main class; null for the one that the job jar names. */
    @Nullable
    String mainClass();

    /** The arguments of the job, without those that all workloads share. */
    List<String> jobArguments();

    /** How the names of the vertices begin that are rescaled. */
    List<String> vertices();

    /** Opens input and output of the job. */
    Traffic open(JobTopics topics, Watchdog watchdog);
}
