// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.run;

import io.meces.experiments.measure.Interval;
import io.meces.experiments.traffic.Traffic;
import java.time.Duration;
import java.util.List;
import javax.annotation.Nullable;

/**
 * A job under load, from its first record until the last result has been compared: the same for
 * demos, soaks and experiments. What is done to it meanwhile is theirs. Owned by the thread that
 * runs it.
 */
public final class Run {
    private static final Duration DRAIN_STALL = Duration.ofSeconds(180);
    private static final Duration LONGEST_DRAIN = Duration.ofMinutes(30);
    private static final Duration STOP_TIMEOUT = Duration.ofSeconds(60);
    private static final Duration ABORT_TIMEOUT = Duration.ofSeconds(10);

    private final Environment environment;
    private final Traffic traffic;
    private final List<String> vertices;
    private final Log log;

    /** Tells what goes on. */
    public interface Log {
        void line(String format, Object... arguments);
    }

    /** What is done while there is load. */
    public interface Timeline {
        /** The job has its state; the load begins when this returns. */
        default void prefilled() throws Exception {}

        /**
         * Does it; the load ends when this returns.
         *
         * @param startMicros when the load has begun, in µs since the epoch
         */
        End play(long startMicros) throws Exception;
    }

    /** What there is when the load ends. Immutable. */
    public static final class End {
        private final String jobId;
        private final int lowestParallelism;
        @Nullable private final Long stopped;

        /**
         * An end.
         *
         * @param jobId the job that runs now
         * @param lowestParallelism that its rescaled vertices have had
         * @param stopped when another job was stopped whose place it has taken, in µs since the
         *     epoch; null: it has done it all
         */
        public End(String jobId, int lowestParallelism, @Nullable Long stopped) {
            this.jobId = jobId;
            this.lowestParallelism = lowestParallelism;
            this.stopped = stopped;
        }
    }

    /**
     * A run that has not begun.
     *
     * @param vertices how the names of those begin that are rescaled
     */
    public Run(Environment environment, Traffic traffic, List<String> vertices, Log log) {
        this.environment = environment;
        this.traffic = traffic;
        this.vertices = vertices;
        this.log = log;
    }

    /**
     * Gives the job its state, puts load on it, plays the timeline, waits for all results and
     * compares them. Fills the result, also when it throws: then with what is known.
     */
    public void perform(Timeline timeline, RunResult result) throws Exception {
        try {
            traffic.prefill();
            timeline.prefilled();
            long start = traffic.start();
            End end = timeline.play(start);
            result.load = new Interval(start, traffic.stop(STOP_TIMEOUT));
            log.line("Load has ended; waiting for the rest of the results.");
            boolean complete = traffic.drain(DRAIN_STALL, LONGEST_DRAIN);
            log.line(complete ? "All results are in." : "Results are missing; gave up waiting.");
            finish(end, complete, result);
        } catch (Exception e) {
            if (result.health == null) {
                result.verdict = traffic.abort(ABORT_TIMEOUT);
            }
            throw e;
        }
    }

    private void finish(End end, boolean complete, RunResult result) throws Exception {
        JobHealth health =
                JobHealth.of(environment.client(), end.jobId, vertices, end.lowestParallelism);
        environment.watchdog().unwatch();
        if (complete) {
            // With the job gone no late duplicate can be missed. One that hangs is not awaited.
            environment.cancel(end.jobId, STOP_TIMEOUT);
        }
        result.health = health.withRestartsOf(environment.client().job(end.jobId));
        traffic.finish(STOP_TIMEOUT);
        result.verdict = traffic.verdict(end.stopped);
        result.samples = traffic.results();
        result.markers = traffic.markers();
        result.stages = traffic.stages();
    }
}
