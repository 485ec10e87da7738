// SPDX-License-Identifier: Apache-2.0
package io.meces.dist;

/** A line of Flink, as far as the distribution for it and its installation are others. */
enum FlinkLine {
    V1_12("1.12", "flink-meces-", "flink-conf.yaml", "Install"),
    V1_20("1.20", "flink-meces-1.20-", "config.yaml", "Install into Flink 1.20"),
    V2_3("2.3", "flink-meces-2.3-", "config.yaml", "Install into Flink 2.3");

    final String number;

    /** What the archive of the distribution unpacks to. */
    final String distribution;

    /** The configuration that a Flink has as it is downloaded. */
    final String configuration;

    /** The section of the user guide that says how it is installed. */
    final String section;

    FlinkLine(String number, String prefix, String configuration, String section) {
        this.number = number;
        this.distribution = prefix + System.getProperty("meces.version");
        this.configuration = configuration;
        this.section = section;
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
