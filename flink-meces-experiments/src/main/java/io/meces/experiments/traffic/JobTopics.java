// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.traffic;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/** The topics that a job reads and writes, and the Kafka that has them. A value. */
public final class JobTopics {

    /**
     * Settings of the topic of the results, by Kafka's names: latency is measured by when the
     * broker has a result.
     */
    public static final Map<String, String> OUTPUT_CONFIG =
            Collections.singletonMap("message.timestamp.type", "LogAppendTime");

    /** Of Kafka. */
    public final String bootstrapServers;

    public final String input;
    public final String output;

    /** Of each topic. A job reads with as many subtasks. */
    public final int partitions;

    /**
     * Two topics, whether they exist or not.
     *
     * @param bootstrapServers of Kafka
     * @param input the topic that the job reads
     * @param output the topic that it writes
     * @param partitions of each
     */
    public JobTopics(String bootstrapServers, String input, String output, int partitions) {
        this.bootstrapServers = bootstrapServers;
        this.input = input;
        this.output = output;
        this.partitions = partitions;
    }

    /** The arguments by which the example jobs are told of them. */
    public List<String> jobArguments() {
        return Arrays.asList(
                "--bootstrap-servers", bootstrapServers,
                "--input", input,
                "--output", output,
                "--parallelism", String.valueOf(partitions));
    }
}
