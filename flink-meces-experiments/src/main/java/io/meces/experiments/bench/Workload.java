// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.bench;

import io.meces.experiments.run.Environment;
import io.meces.experiments.traffic.Traffic;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** A job and what it works on. Immutable. */
final class Workload {
    /** For names of files and for titles. */
    final String name;

    final String mainClass;

    /** The arguments of the job, without those that all workloads share. */
    final List<String> jobArguments;

    /** How the names of the vertices begin that are rescaled. */
    final List<String> vertices;

    /** What is special about it, for the report. */
    final Map<String, Object> parameters;

    /** Opens input and output of the job. */
    final Function<Environment, Traffic> traffic;

    Workload(
            String name,
            Class<?> mainClass,
            List<String> jobArguments,
            List<String> vertices,
            Map<String, Object> parameters,
            Function<Environment, Traffic> traffic) {
        this.name = name;
        this.mainClass = mainClass.getName();
        this.jobArguments = jobArguments;
        this.vertices = vertices;
        this.parameters = parameters;
        this.traffic = traffic;
    }
}
