// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.mechanisms;

import io.meces.experiments.cluster.FlinkClient;
import io.meces.experiments.harness.JobTopics;
import io.meces.experiments.run.Watchdog;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import javax.annotation.Nullable;

/**
 * A Flink and topics of a Kafka for one run of a mechanism. Not thread-safe: it belongs to the
 * thread that has opened it.
 */
interface Environment extends AutoCloseable {

    /** The JobManager. */
    FlinkClient client();

    /** What the jobs read and write; nobody else does. */
    JobTopics topics();

    /** The directory for savepoints, a URI. */
    String savepoints();

    /** Ends waits early; watches the job that was started last. */
    Watchdog watchdog();

    /**
     * Starts a job of our jar that reads and writes the topics, and waits until all of its tasks
     * run, some minutes at most.
     *
     * @param mainClass null for the one that the jar names
     * @param more arguments besides those that tell of the topics
     * @param savepoint to start from; null for none
     * @return its id
     */
    String submit(@Nullable String mainClass, List<String> more, @Nullable String savepoint)
            throws Exception;

    /**
     * Cancels a job and waits until it is gone.
     *
     * @throws java.util.concurrent.TimeoutException if it is not within the time
     */
    void cancel(String jobId, Duration timeout) throws Exception;

    /**
     * Takes away all that the run has brought, jobs that still run among it. Blocks for some
     * minutes at most.
     *
     * @throws IOException if a job goes on, which would disturb the next run
     */
    @Override
    void close() throws IOException;
}
