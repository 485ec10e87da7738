// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.bench;

import com.fasterxml.jackson.databind.JsonNode;
import io.meces.experiments.cluster.FlinkClient;
import io.meces.experiments.cluster.Watchdog;
import io.meces.experiments.run.Environment;
import io.meces.experiments.run.PhaseLog;
import io.meces.experiments.traffic.JobTopics;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.annotation.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A cluster and a Kafka that belong to others. What the run brings there is taken away when it is
 * closed: jobs, savepoints, the jar, topics. When this JVM ends early, be it by Ctrl-C, the thread
 * that has opened it is interrupted, and given time to close it.
 */
final class RemoteEnvironment extends Environment {
    private static final Logger LOG = LoggerFactory.getLogger(RemoteEnvironment.class);
    private static final Duration POLL = Duration.ofMillis(20);
    private static final Duration END_TIMEOUT = Duration.ofSeconds(60);

    /** For all of {@link #close}, when the JVM ends. */
    private static final Duration SHUTDOWN_TIMEOUT = Duration.ofSeconds(120);

    @Nullable private final String savepointDirectory;
    private final PhaseLog phases;
    @Nullable private String jar;
    private final Thread owner = Thread.currentThread();
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread hook = new Thread(this::haveItClosed, "experiment-shutdown");

    private RemoteEnvironment(
            FlinkClient client,
            JobTopics topics,
            @Nullable String savepointDirectory,
            PhaseLog phases) {
        super(client, topics, new Watchdog());
        this.savepointDirectory = savepointDirectory;
        this.phases = phases;
    }

    /**
     * Makes topics with new names and uploads the jar. Blocks for some minutes at most; if it
     * throws, nothing is left.
     *
     * @param client the JobManager
     * @param bootstrapServers of Kafka
     * @param partitions of each topic
     * @param savepoints the directory for savepoints, a URI; null if there will be none
     * @param jobJar what is uploaded
     * @param phases told what could not be taken away
     */
    static RemoteEnvironment open(
            FlinkClient client,
            String bootstrapServers,
            int partitions,
            @Nullable String savepoints,
            Path jobJar,
            PhaseLog phases)
            throws Exception {
        String name = "meces-bench-" + UUID.randomUUID();
        JobTopics topics =
                new JobTopics(bootstrapServers, name + "-events", name + "-results", partitions);
        RemoteEnvironment environment = new RemoteEnvironment(client, topics, savepoints, phases);
        Runtime.getRuntime().addShutdownHook(environment.hook);
        try {
            new TopicAdmin(bootstrapServers).create(topics);
            environment.jar = client.uploadJar(jobJar);
            return environment;
        } catch (Exception | Error e) {
            try {
                environment.close();
            } catch (IOException failed) {
                e.addSuppressed(failed);
            }
            throw e;
        }
    }

    @Override
    public String savepoints() {
        if (savepointDirectory == null) {
            throw new IllegalStateException("There is no directory for savepoints.");
        }
        return savepointDirectory;
    }

    @Override
    protected String jar() {
        return jar;
    }

    @Override
    public void close() throws IOException {
        // what is left has to go all the same
        boolean interrupted = Thread.interrupted();
        try {
            watchdog().unwatch();
            takeAway();
        } finally {
            closed.countDown();
            try {
                Runtime.getRuntime().removeShutdownHook(hook);
            } catch (IllegalStateException e) {
                LOG.debug("The JVM is ending, the hook stays.", e);
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void takeAway() throws IOException {
        List<String> goOn = new ArrayList<>();
        for (String job : jobs()) {
            if (!attempt("Job " + job, () -> end(job))) {
                goOn.add(job);
            }
        }
        for (String savepoint : usedSavepoints()) {
            attempt("The savepoint " + savepoint, () -> dispose(savepoint));
        }
        if (jar != null) {
            attempt("The jar " + jar, () -> client().deleteJar(jar));
        }
        attempt(
                "The topics " + topics().input + " and " + topics().output,
                () -> new TopicAdmin(topics().bootstrapServers).delete(topics()));
        if (!goOn.isEmpty()) {
            throw new IOException(
                    "Jobs go on at " + client().address() + ": " + String.join(", ", goOn) + ".");
        }
    }

    private void end(String jobId) throws IOException, InterruptedException, TimeoutException {
        if (!hasEnded(jobId)) {
            cancel(jobId, END_TIMEOUT);
        }
    }

    private void dispose(String savepoint)
            throws IOException, InterruptedException, TimeoutException {
        String request = client().disposeSavepoint(savepoint);
        JsonNode[] outcome = new JsonNode[1];
        new Watchdog()
                .await(
                        "Flink to delete it",
                        () -> {
                            outcome[0] = client().savepointDisposal(request);
                            return outcome[0] != null;
                        },
                        POLL,
                        END_TIMEOUT);
        if (outcome[0].hasNonNull("failure-cause")) {
            throw new IOException("Flink cannot delete it: " + outcome[0].path("failure-cause"));
        }
    }

    /** Does something that may fail without keeping the rest from being done. */
    private boolean attempt(String what, Removal removal) {
        try {
            removal.run();
            return true;
        } catch (IOException | TimeoutException | RuntimeException e) {
            stays(what, e);
        } catch (InterruptedException e) {
            stays(what, e);
            Thread.currentThread().interrupt();
        }
        return false;
    }

    private void stays(String what, Exception reason) {
        LOG.warn("{} stays.", what, reason);
        phases.line("%s could not be taken away from where it is: %s", what, reason);
    }

    private void haveItClosed() {
        owner.interrupt();
        try {
            if (!closed.await(SHUTDOWN_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)) {
                phases.line(
                        "Gave up: jobs %s at %s, and the topics %s and %s may stay.",
                        jobs(), client().address(), topics().input, topics().output);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Takes something away. */
    @FunctionalInterface
    private interface Removal {
        void run() throws IOException, InterruptedException, TimeoutException;
    }
}
