// SPDX-License-Identifier: Apache-2.0
package io.meces.cli.top;

import io.meces.cli.rest.JobManagerClient;
import io.meces.cli.rest.RefusedException;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Shows how a job stands, again and again. For one thread. */
public final class Top {

    private static final int COLUMNS = 80;

    /** How long a JobManager may take to fetch metrics from its TaskManagers. */
    private static final long FETCH_MILLIS = 1_000;

    private final JobManagerClient client;
    private final String jobId;
    private final boolean json;
    private final PrintWriter out;
    private final PrintWriter err;

    /**
     * @param json whether a line of JSON is printed each time; then nothing else is on {@code out}
     */
    public Top(
            JobManagerClient client, String jobId, boolean json, PrintWriter out, PrintWriter err) {
        this.client = client;
        this.jobId = jobId;
        this.json = json;
        this.out = out;
        this.err = err;
    }

    /**
     * Shows it once, all of it. Flink fetches metrics when somebody asks, and tells those that it
     * has fetched before, which may be hours ago: so it is asked twice.
     */
    public void once() throws IOException, InterruptedException {
        JobSnapshot.read(client, jobId);
        TimeUnit.MILLISECONDS.sleep(FETCH_MILLIS);
        print(JobSnapshot.read(client, jobId));
    }

    private void print(JobSnapshot job) throws IOException {
        if (json) {
            out.println(SnapshotJson.of(job));
        } else {
            Screen.lines(job, Instant.now(), ZoneId.systemDefault(), COLUMNS, Integer.MAX_VALUE)
                    .forEach(out::println);
        }
        out.flush();
    }

    /**
     * Shows it on the terminal until q is typed or the job has ended; where there is no terminal,
     * one below the other until the job has ended, or nobody reads them any more. A JobManager that
     * does not answer is asked again; one that refuses the first answer is an error.
     *
     * @param intervalMillis how often
     * @param mayTakeTerminal whether what is printed goes to a terminal
     */
    public void watch(long intervalMillis, boolean mayTakeTerminal)
            throws IOException, InterruptedException {
        JobSnapshot first = JobSnapshot.read(client, jobId);
        try (Terminal terminal = mayTakeTerminal && !json ? Terminal.open(out) : null) {
            if (terminal == null) {
                watchWithoutTerminal(first, intervalMillis);
            } else {
                watch(first, terminal, intervalMillis);
            }
        }
    }

    private void watch(JobSnapshot first, Terminal terminal, long intervalMillis)
            throws IOException, InterruptedException {
        JobSnapshot job = first;
        String trouble = "";
        do {
            int[] size = terminal.size();
            List<String> lines =
                    new ArrayList<>(
                            Screen.lines(
                                    job,
                                    Instant.now(),
                                    ZoneId.systemDefault(),
                                    size[1],
                                    Math.max(1, size[0] - 2)));
            lines.addAll(Collections.nCopies(Math.max(0, size[0] - 1 - lines.size()), ""));
            String last = trouble.isEmpty() ? "q: quit" : trouble;
            lines.add(last.substring(0, Math.min(size[1], last.length())));
            terminal.show(lines);
            if (terminal.awaitQuit(intervalMillis)) {
                return;
            }
            try {
                job = JobSnapshot.read(client, jobId);
                trouble = "";
            } catch (IOException e) {
                trouble = trouble(e);
            }
        } while (true);
    }

    private static String trouble(IOException e) {
        return "asking again: " + ("" + e.getMessage()).split("\\R")[0];
    }

    private void watchWithoutTerminal(JobSnapshot first, long intervalMillis)
            throws IOException, InterruptedException {
        print(first);
        boolean ended = isTerminal(first.state);
        // somebody may have read enough, as head does
        while (!ended && !out.checkError()) {
            TimeUnit.MILLISECONDS.sleep(intervalMillis);
            try {
                JobSnapshot job = JobSnapshot.read(client, jobId);
                if (!json) {
                    out.println();
                }
                print(job);
                ended = isTerminal(job.state);
            } catch (RefusedException e) {
                // the job has gone
                throw e;
            } catch (IOException e) {
                PrintWriter words = json ? err : out;
                words.println(trouble(e));
                words.flush();
            }
        }
    }

    private static boolean isTerminal(String state) {
        return state.equals("FINISHED") || state.equals("FAILED") || state.equals("CANCELED");
    }
}
