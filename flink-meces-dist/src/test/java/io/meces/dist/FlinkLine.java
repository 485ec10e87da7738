// SPDX-License-Identifier: Apache-2.0
package io.meces.dist;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/** A line of Flink, as far as the distribution for it and its installation are others. */
enum FlinkLine {
    V1_12("1.12", "flink-meces-", "flink-conf.yaml", "Install", true, true),
    V1_20("1.20", "flink-meces-1.20-", "config.yaml", "Install into Flink 1.20", false, true),
    V2_3("2.3", "flink-meces-2.3-", "config.yaml", "Install into Flink 2.3", false, false);

    final String number;

    /** What the archive of the distribution unpacks to. */
    final String distribution;

    /** The configuration that a Flink has as it is downloaded. */
    final String configuration;

    /** The section of the user guide that says how it is installed. */
    final String section;

    /** Whether a JobManager of ours runs a cluster for one job on YARN. */
    final boolean hasYarnPerJob;

    private final boolean hasRunApplication;

    FlinkLine(
            String number,
            String prefix,
            String configuration,
            String section,
            boolean hasYarnPerJob,
            boolean hasRunApplication) {
        this.number = number;
        this.distribution = prefix + System.getProperty("meces.version");
        this.configuration = configuration;
        this.section = section;
        this.hasYarnPerJob = hasYarnPerJob;
        this.hasRunApplication = hasRunApplication;
    }

    /** The section on Kubernetes, as far as image and configuration go. */
    String kubernetes() {
        return this == V1_12 ? "Kubernetes" : "Kubernetes with Flink 1.20 and 2.3";
    }

    /** A line of a Dockerfile of the user guide, as it is on this line. */
    String image(String documented) {
        return documented.replace("FROM flink:1.20-", "FROM flink:" + number + "-");
    }

    /** A line of configuration of the user guide, as it is on this line: YAML since 1.20. */
    String configured(String documented) {
        return this == V1_12 ? documented : documented.replaceFirst("^([^ ]+: )(%.*)$", "$1'$2'");
    }

    /** A command of the user guide, as it is on this line. */
    String command(String documented) {
        return hasRunApplication
                ? documented
                : documented.replace("bin/flink run-application ", "bin/flink run -d ");
    }

    /**
     * Releases that tests run with, one of each line: those that the property {@code
     * stock.flink.releases} names, or else all, or a drawn one where parts of a matrix are run.
     */
    static List<String> sampledReleases() {
        String chosen = System.getProperty("stock.flink.releases");
        if (chosen != null) {
            return Arrays.asList(chosen.split(","));
        }
        List<String> releases =
                Arrays.asList(System.getProperty("stock.flink.version"), "1.20.5", "2.3.0");
        if (Integer.getInteger("sample.size", 0) == 0) {
            return releases;
        }
        Collections.shuffle(releases);
        return releases.subList(0, 1);
    }

    /**
     * That of a release.
     *
     * @throws IllegalArgumentException if there is no distribution for it
     */
    static FlinkLine of(String version) {
        for (FlinkLine line : values()) {
            if (version.startsWith(line.number + ".")) {
                return line;
            }
        }
        throw new IllegalArgumentException("There is no distribution for Flink " + version);
    }
}
