// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.traffic;

import io.meces.experiments.measure.Samples;
import io.meces.experiments.measure.Stages;
import io.meces.experiments.measure.Verdict;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import javax.annotation.Nullable;

/** Sends the input of a job, reads its output, verifies and measures. */
public interface Traffic extends AutoCloseable {
    /** Gives the job its state, and returns when it has it. */
    void prefill() throws Exception;

    /**
     * Starts the load.
     *
     * @return when its first record is due, in µs since the epoch
     */
    long start();

    /**
     * Ends the load.
     *
     * @return when it has ended, in µs since the epoch
     * @throws TimeoutException if Kafka has not taken all of it after the time
     */
    long stop(Duration timeout) throws InterruptedException, TimeoutException;

    /**
     * Waits until there are all results, or no more come.
     *
     * @param stall after which time without a new one to give up
     * @param timeout after which time to give up in any case
     * @return whether there are
     */
    boolean drain(Duration stall, Duration timeout) throws Exception;

    /** Reads the output to its end, when the job is gone. */
    void finish(Duration timeout) throws InterruptedException, TimeoutException;

    /** Stops all, whatever has failed; tells what the results say so far. */
    Verdict abort(Duration timeout) throws InterruptedException;

    /** Results by when their records were due. For when it has finished. */
    Samples results();

    /** Markers by when they were due. For when it has finished. */
    Samples markers();

    /** Where records were for how long; null if that is not known. */
    @Nullable
    Stages stages();

    /**
     * What was lost and so on. For when it has finished.
     *
     * @param stopped when a job was stopped and another one took its place, in µs since the epoch;
     *     null if one job has done it all
     */
    Verdict verdict(@Nullable Long stopped);

    @Override
    void close();
}
