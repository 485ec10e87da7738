// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.cluster;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A line of Flink, and where a built repository has our jars for it and its own. Another line is
 * another value. Immutable.
 */
public final class FlinkLine {
    private static final String RUNTIME = "flink-meces-runtime/target/";

    public static final FlinkLine V1_12 =
            new FlinkLine(
                    "1.12",
                    "flink-conf.yaml",
                    "filesystem",
                    RUNTIME + "flink-meces-{version}.jar",
                    "flink-meces-state-rocksdb/target/flink-meces-state-rocksdb-{version}.jar",
                    "flink-meces-examples/target/flink-meces-examples-{version}-job.jar",
                    "flink-meces-experiments/target/lib/flink");

    public static final FlinkLine V1_20 =
            new FlinkLine(
                    "1.20",
                    "flink-conf.yaml",
                    "hashmap",
                    "flink-meces-flink-1.20/target/flink-meces-1.20-{version}.jar",
                    "flink-meces-flink-1.20-rocksdb/target/"
                            + "flink-meces-flink-1.20-rocksdb-{version}.jar",
                    "flink-meces-flink-1.20-examples/target/"
                            + "flink-meces-flink-1.20-examples-{version}-job.jar",
                    "flink-meces-flink-1.20-examples/target/lib/flink");

    public static final FlinkLine V2_3 =
            new FlinkLine(
                    "2.3",
                    "config.yaml",
                    "hashmap",
                    "flink-meces-flink-2.3/target/flink-meces-2.3-{version}.jar",
                    "flink-meces-flink-2.3-rocksdb/target/"
                            + "flink-meces-flink-2.3-rocksdb-{version}.jar",
                    "flink-meces-flink-2.3-examples/target/"
                            + "flink-meces-flink-2.3-examples-{version}-job.jar",
                    "flink-meces-flink-2.3-examples/target/lib/flink");

    private static final List<FlinkLine> ALL =
            Collections.unmodifiableList(Arrays.asList(V1_12, V1_20, V2_3));

    private final String name;

    /** The file of its configuration, whose lines are {@code key: value}. */
    final String configuration;

    /** What it calls the state backend that keeps state on the heap. */
    final String heapBackend;

    /** What makes it elastic. */
    final String mecesJar;

    final String rocksDBJar;

    /** The example jobs with their connector. */
    final String jobJar;

    /** The directory of its own jars, but for those of logging. */
    final String flinkJars;

    private FlinkLine(
            String name,
            String configuration,
            String heapBackend,
            String mecesJar,
            String rocksDBJar,
            String jobJar,
            String flinkJars) {
        this.name = name;
        this.configuration = configuration;
        this.heapBackend = heapBackend;
        this.mecesJar = mecesJar;
        this.rocksDBJar = rocksDBJar;
        this.jobJar = jobJar;
        this.flinkJars = flinkJars;
    }

    /**
     * The line of a name.
     *
     * @throws IllegalArgumentException with a message for the user if there is none
     */
    public static FlinkLine of(String name) {
        return ALL.stream()
                .filter(line -> line.name.equals(name))
                .findFirst()
                .orElseThrow(
                        () ->
                                new IllegalArgumentException(
                                        "--flink is one of "
                                                + ALL.stream()
                                                        .map(FlinkLine::toString)
                                                        .collect(Collectors.joining(", "))
                                                + ", not "
                                                + name
                                                + "."));
    }

    @Override
    public String toString() {
        return name;
    }
}
