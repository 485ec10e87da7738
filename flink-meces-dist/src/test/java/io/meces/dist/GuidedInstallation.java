// SPDX-License-Identifier: Apache-2.0
package io.meces.dist;

import io.meces.servers.KafkaBroker;
import io.meces.servers.ProcessGroup;
import io.meces.servers.ServerFiles;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * A stock Flink in which the distribution is installed by the commands of the user guide and
 * configured by the lines of one of its sections; with a shell in which the commands of that
 * section are typed, and a Kafka.
 */
final class GuidedInstallation implements AutoCloseable {

    private static final Path HOME = Paths.get(System.getProperty("meces.home"));

    final Path directory;
    final StockInstallation flink;
    final Shell shell;
    final ProcessGroup processes;
    private final String section;
    private final DocumentedCommands guide;
    private KafkaBroker kafka;

    /** Of the release that a property names. */
    GuidedInstallation(String name, String section, Duration limit) throws Exception {
        this(System.getProperty("stock.flink.version"), name, section, limit);
    }

    /** As the other one; each line of Flink has a section. */
    GuidedInstallation(String name, Function<FlinkLine, String> section, Duration limit)
            throws Exception {
        this(name, section.apply(FlinkLine.of(System.getProperty("stock.flink.version"))), limit);
    }

    /**
     * @param version a release of a line of Flink
     * @param name of the directory below that of the build
     * @param section of the user guide
     * @param limit for all commands together
     */
    GuidedInstallation(String version, String name, String section, Duration limit)
            throws Exception {
        this.section = section;
        directory = Paths.get("target", name, version).toAbsolutePath();
        flink = StockInstallation.prepare(version, HOME, directory);
        Path checkpoints = directory.resolve("checkpoints");
        StockInstallation.delete(checkpoints);
        guide = new DocumentedCommands(HOME.resolve("docs").resolve("user-guide.md"));
        shell = new Shell(directory, limit, directory.resolve("transcript.txt"));
        StockInstallation.install(
                shell,
                guide.of(flink.line.section).stream()
                        .map(
                                command ->
                                        command.replace("/opt/flink", flink.flink().toString())
                                                .replace(
                                                        "file:///tmp/flink-checkpoints",
                                                        checkpoints.toUri().toString()))
                        .collect(Collectors.toList()),
                command -> {});
        flink.configure(
                guide.configuration(section).stream()
                        .map(flink.line::configured)
                        .collect(Collectors.toList()));
        processes = new ProcessGroup(name);
    }

    /** Starts a Kafka whose clients are on this machine. */
    void startKafka() throws Exception {
        startKafka("127.0.0.1");
    }

    /** Starts a Kafka that its clients reach at an address of this machine. */
    void startKafka(String host) throws Exception {
        kafka =
                KafkaBroker.start(
                        new ServerFiles(HOME), host, processes, directory.resolve("kafka-logs"));
        kafka.awaitReady(Duration.ofMinutes(3));
    }

    /** The lines of the Dockerfile of the section. */
    List<String> dockerfile() {
        return guide.dockerfile(section);
    }

    /** Those of the section. */
    List<String> commands() {
        return commands(section);
    }

    /** Those of another section. */
    List<String> commands(String other) {
        return guide.of(other);
    }

    /** A job that reads and writes topics of its mode, and how its results are counted. */
    CountedJob countedJob(String mode) throws Exception {
        return new CountedJob(kafka, input(mode), output(mode), processes);
    }

    /** The command with the Kafka of this installation, and the topics of a mode. */
    String adapted(String command, String mode) {
        return command.replace("localhost:9092", kafka.address())
                .replace("--input events", "--input " + input(mode))
                .replace("--output results", "--output " + output(mode));
    }

    private static String input(String mode) {
        return "events-" + mode;
    }

    private static String output(String mode) {
        return "results-" + mode;
    }

    @Override
    public void close() throws Exception {
        processes.close();
        shell.close();
    }
}
