// SPDX-License-Identifier: Apache-2.0
package io.meces.dist;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Timer;
import java.util.TimerTask;
import java.util.UUID;

/**
 * A bash into which a test types commands, one after the other, as a user would: variables and the
 * directory stay. What is typed and what is printed goes to a transcript. Not thread-safe.
 */
final class Shell implements AutoCloseable {
    private final Process bash;
    private final Writer input;
    private final BufferedReader output;
    private final PrintWriter transcript;
    private final Timer limit = new Timer("shell-limit", true);

    /**
     * A shell in a directory.
     *
     * @param timeout after which time it is ended, whatever it does
     * @param transcriptFile where the transcript goes
     */
    Shell(Path directory, Duration timeout, Path transcriptFile) throws IOException {
        this(Collections.singletonList("bash"), directory, timeout, transcriptFile);
    }

    /** As the other one, started by a command that ends in {@code bash}. */
    Shell(List<String> command, Path directory, Duration timeout, Path transcriptFile)
            throws IOException {
        this.transcript =
                new PrintWriter(
                        Files.newBufferedWriter(transcriptFile, StandardCharsets.UTF_8), true);
        this.bash =
                new ProcessBuilder(command)
                        .directory(directory.toFile())
                        .redirectErrorStream(true)
                        .start();
        this.input = new OutputStreamWriter(bash.getOutputStream(), StandardCharsets.UTF_8);
        this.output =
                new BufferedReader(
                        new InputStreamReader(bash.getInputStream(), StandardCharsets.UTF_8));
        limit.schedule(
                new TimerTask() {
                    @Override
                    public void run() {
                        bash.destroyForcibly();
                    }
                },
                timeout.toMillis());
    }

    /**
     * Types a command and waits for its end.
     *
     * @return what it printed
     * @throws IOException if its exit code is not 0, or the time of the shell is over
     */
    String run(String command) throws IOException {
        Result result = tryOut(command);
        if (result.exitCode != 0) {
            throw new IOException(
                    "Exit code " + result.exitCode + " of: " + command + "\n" + result.output);
        }
        return result.output;
    }

    /** Types a command and waits for its end, which may be a bad one. */
    Result tryOut(String command) throws IOException {
        transcript.println("$ " + command);
        String marker = "end-" + UUID.randomUUID();
        // the command must not read what is typed next
        input.write("{ " + command + "\n} < /dev/null\n");
        input.write("printf '\\n" + marker + " %s\\n' $?\n");
        input.flush();
        StringBuilder printed = new StringBuilder();
        for (String line = output.readLine(); line != null; line = output.readLine()) {
            if (line.startsWith(marker)) {
                transcript.println();
                return new Result(
                        Integer.parseInt(line.substring(marker.length() + 1)), printed.toString());
            }
            if (!line.isEmpty()) {
                transcript.println(line);
                printed.append(line).append('\n');
            }
        }
        throw new IOException("The shell has ended in: " + command + "\n" + printed);
    }

    /** Adds a line to the transcript. */
    void note(String text) {
        transcript.println("# " + text + "\n");
    }

    @Override
    public void close() {
        limit.cancel();
        bash.destroy();
        transcript.close();
    }

    /** How a command ended. */
    static final class Result {
        final int exitCode;
        final String output;

        private Result(int exitCode, String output) {
            this.exitCode = exitCode;
            this.output = output;
        }
    }
}
