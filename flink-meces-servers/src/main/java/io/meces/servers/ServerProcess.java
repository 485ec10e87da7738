// SPDX-License-Identifier: Apache-2.0
package io.meces.servers;

import java.io.File;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A process that writes its output to a file. Not thread-safe but for stop. */
public final class ServerProcess {
    /**
     * For processes that live for a minute on a few cores: only the quick compiler. The thorough
     * one would take all cores for that minute, and what is measured would be its work.
     */
    public static final List<String> QUICK_START =
            Collections.singletonList("-XX:TieredStopAtLevel=1");

    private static final Duration POLL_INTERVAL = Duration.ofMillis(100);
    private static final Duration GRACE = Duration.ofSeconds(10);
    private static final int TAIL_LINES = 15;

    private static final Logger LOG = LoggerFactory.getLogger(ServerProcess.class);

    private final String name;
    private final Path log;
    private final Process process;
    private volatile boolean paused;

    private ServerProcess(String name, Path log, Process process) {
        this.name = name;
        this.log = log;
        this.process = process;
    }

    /**
     * Starts a JVM of the kind that runs this code.
     *
     * @param name what to call it in messages; its output goes to {@code <name>.log}
     * @param logDirectory where the output goes
     * @param jvmFlags flags for the JVM
     * @param classPath jars and directories
     * @param mainClass what to run
     * @param arguments for the main class
     */
    public static ServerProcess start(
            String name,
            Path logDirectory,
            List<String> jvmFlags,
            List<Path> classPath,
            String mainClass,
            String... arguments)
            throws IOException {
        return start(
                name,
                logDirectory,
                javaCommand(Collections.emptyList(), jvmFlags, classPath, mainClass, arguments));
    }

    /** The command by which {@link #start} runs a JVM, behind others that run it somewhere. */
    public static List<String> javaCommand(
            List<String> behind,
            List<String> jvmFlags,
            List<Path> classPath,
            String mainClass,
            String... arguments) {
        List<String> command = new ArrayList<>(behind);
        command.add(Paths.get(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(jvmFlags);
        command.add("-cp");
        command.add(
                classPath.stream()
                        .map(Path::toString)
                        .collect(Collectors.joining(File.pathSeparator)));
        command.add(mainClass);
        command.addAll(Arrays.asList(arguments));
        return command;
    }

    /**
     * Starts a program.
     *
     * @param name what to call it in messages; its output goes to {@code <name>.log}
     * @param logDirectory where the output goes
     * @param command the program and its arguments
     */
    public static ServerProcess start(String name, Path logDirectory, List<String> command)
            throws IOException {
        Path log = Files.createDirectories(logDirectory).resolve(name + ".log");
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.redirectErrorStream(true);
        builder.redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
        return new ServerProcess(name, log, builder.start());
    }

    public String name() {
        return name;
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /**
     * Waits until the probe says yes. A probe that throws an {@link IOException} says no.
     *
     * @throws TimeoutException if it did not within the time
     * @throws ProcessEndedException if the process ended
     */
    public void awaitReady(Callable<Boolean> probe, Duration timeout) throws Exception {
        long deadline = System.nanoTime() + timeout.toNanos();
        IOException last = null;
        while (true) {
            try {
                if (probe.call()) {
                    return;
                }
            } catch (IOException e) {
                last = e;
            }
            if (System.nanoTime() - deadline >= 0) {
                TimeoutException timedOut =
                        new TimeoutException(
                                name + " is not ready after " + timeout.getSeconds() + " s.");
                timedOut.initCause(last);
                throw timedOut;
            }
            if (process.waitFor(POLL_INTERVAL.toMillis(), TimeUnit.MILLISECONDS)) {
                throw ended();
            }
        }
    }

    /**
     * Checks that the process runs.
     *
     * @throws ProcessEndedException if it does not
     */
    public void requireAlive() throws IOException, ProcessEndedException {
        if (!process.isAlive()) {
            throw ended();
        }
    }

    /**
     * Waits for the end of the process.
     *
     * @throws ProcessEndedException if its exit code is not 0
     * @throws TimeoutException if it still runs after the time; it is left running
     */
    public void awaitSuccess(Duration timeout)
            throws IOException, InterruptedException, ProcessEndedException, TimeoutException {
        if (!process.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS)) {
            throw new TimeoutException(name + " still runs after " + timeout.getSeconds() + " s.");
        }
        if (process.exitValue() != 0) {
            throw ended();
        }
    }

    /**
     * Asks the process to end, also one that is paused. Returns at once. Safe to call from any
     * thread, any number of times.
     */
    public void requestStop() {
        process.destroy();
        if (paused) {
            try {
                // It does not hear of it before.
                send("CONT");
            } catch (IOException e) {
                LOG.warn("{} is paused and will have to be killed.", name, e);
            }
        }
    }

    /** Ends the process by force. Returns at once. Safe to call from any thread. */
    void requestKill() {
        process.destroyForcibly();
    }

    /** Ends the process: by request and, after 10 s, by force. Returns when it is gone. */
    public void stop() throws InterruptedException {
        requestStop();
        if (!process.waitFor(GRACE.toMillis(), TimeUnit.MILLISECONDS)) {
            kill();
        }
    }

    /** Ends the process by force, like a crash. Returns when it is gone. */
    public void kill() throws InterruptedException {
        process.destroyForcibly();
        process.waitFor(GRACE.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Stops the process in its tracks, as a machine that hangs: it keeps its connections. */
    public void pause() throws IOException, InterruptedException {
        paused = true;
        signal("STOP");
    }

    /** Ends {@link #pause}. */
    public void resume() throws IOException, InterruptedException {
        signal("CONT");
        paused = false;
    }

    private void signal(String signal) throws IOException, InterruptedException {
        Process kill = send(signal);
        if (!kill.waitFor(GRACE.toMillis(), TimeUnit.MILLISECONDS) || kill.exitValue() != 0) {
            throw new IOException("Cannot send SIG" + signal + " to " + name + ".");
        }
    }

    private Process send(String signal) throws IOException {
        return new ProcessBuilder("kill", "-" + signal, String.valueOf(pid()))
                .redirectErrorStream(true)
                .start();
    }

    private long pid() {
        try {
            return (long) Process.class.getMethod("pid").invoke(process);
        } catch (NoSuchMethodException e) {
            return pidOnJava8();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("This Java does not tell the id of a process.", e);
        }
    }

    /** Where only the class of the process itself knows it. */
    private int pidOnJava8() {
        try {
            Field pid = process.getClass().getDeclaredField("pid");
            pid.setAccessible(true);
            return pid.getInt(process);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("This Java does not tell the id of a process.", e);
        }
    }

    private ProcessEndedException ended() throws IOException {
        List<String> lines =
                Arrays.asList(
                        new String(Files.readAllBytes(log), StandardCharsets.UTF_8).split("\\R"));
        String tail =
                lines.stream()
                        .skip(Math.max(0, lines.size() - TAIL_LINES))
                        .map(line -> System.lineSeparator() + "  " + line)
                        .collect(Collectors.joining());
        return new ProcessEndedException(
                name + " ended with exit code " + process.exitValue() + "; " + log + ":" + tail);
    }
}
