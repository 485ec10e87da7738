// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.run;

import io.meces.cli.ExitCodes;
import io.meces.experiments.cluster.FlinkLine;
import io.meces.experiments.cluster.Installation;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import javax.annotation.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * A command that starts processes or jobs from our jars and leaves a report, and what can be chosen
 * about all of them. The fields have the defaults of the command line; what they mean stands in
 * {@code options.properties}, once for all commands.
 */
@Command(
        mixinStandardHelpOptions = true,
        resourceBundle = "io.meces.experiments.run.options",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:All went as it should: exact, and all rescales came to their end. Of a benchmark:"
                    + " whatever the figures.",
            "1:Not so, or it did not come to its end; the report has what there was until then.",
            "2:The command line is wrong.",
            "3:The JobManager refused a job or a rescale.",
            "4:The JobManager cannot be reached any more."
        })
public abstract class RunOptions implements Callable<Integer> {
    /** Numbers otherwise have to be positive. */
    private static final List<String> MAY_BE_ZERO =
            Arrays.asList("--warm-up", "--work-micros", "--buffer-timeout", "--payload", "--pause");

    /** Null outside a command line. */
    @Nullable @Spec private CommandSpec spec;

    @Nullable
    @Option(names = "--seed", paramLabel = "N")
    public Long seed = 1L;

    @Nullable
    @Option(names = "--flink", paramLabel = "LINE")
    public String flink;

    @Option(
            names = {"-D", "--flink-config"},
            paramLabel = "KEY=VALUE")
    public Map<String, String> flinkConfig = new LinkedHashMap<>();

    @Nullable
    @Option(names = "--report", paramLabel = "FILE")
    public Path report;

    @Nullable
    @Option(names = "--keep-logs", paramLabel = "DIR")
    public Path logs;

    /** The line of Flink that is started if none is given. */
    protected FlinkLine usualLine() {
        return FlinkLine.V1_12;
    }

    /**
     * The line of Flink that is started.
     *
     * @throws IllegalArgumentException with a message for the user if there is none of that name
     */
    protected final FlinkLine line() {
        return flink == null ? usualLine() : FlinkLine.of(flink);
    }

    /** How the folder is called in which the report goes by default. */
    protected abstract String reportName();

    /**
     * Checks what picocli does not.
     *
     * @throws IllegalArgumentException with a message for the user
     */
    public void validate() {
        for (OptionSpec option : spec().options()) {
            String name = option.longestName();
            if (option.getValue() instanceof Number && !name.equals("--seed")) {
                double value = ((Number) option.getValue()).doubleValue();
                boolean mayBeZero = MAY_BE_ZERO.contains(name);
                require(
                        value > 0 || mayBeZero && value == 0,
                        name + (mayBeZero ? " must not be negative." : " has to be positive."));
            }
        }
        // so that the report has it
        flink = line().toString();
    }

    /** The root of the repository or distribution. */
    protected static Path home() {
        return Paths.get(System.getProperty("meces.home", ""));
    }

    private CommandSpec spec() {
        return spec == null ? CommandSpec.forAnnotatedObject(this) : spec;
    }

    /**
     * Does it. Every wait in it is bounded, and what it starts is gone when it returns or throws.
     *
     * @return whether all went as it should
     */
    protected abstract boolean run(Installation installation, PrintWriter out) throws Exception;

    @Override
    public final Integer call() throws Exception {
        Installation installation;
        try {
            validate();
            installation = new Installation(home(), line());
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
        return run(installation, spec.commandLine().getOut()) ? ExitCodes.OK : ExitCodes.FAILED;
    }

    /** Whether an option stands on the command line, be it with its default. */
    protected final boolean isGiven(String option) {
        return spec != null
                && spec.commandLine() != null
                && spec.commandLine().getParseResult().hasMatchedOption(option);
    }

    /** All options but those that say where something goes, by name, for the report. */
    public Map<String, Object> parameters() {
        Map<String, Object> parameters = new LinkedHashMap<>();
        for (OptionSpec option : spec().options()) {
            if (option.type() != Path.class && !option.usageHelp() && !option.versionHelp()) {
                parameters.put(option.longestName().substring(2), option.getValue());
            }
        }
        return parameters;
    }

    /** Where the report goes. */
    public final Path reportFile(Installation installation) {
        String time = LocalDateTime.now().format(DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss"));
        Path file =
                report == null
                        ? installation
                                .root()
                                .resolve("reports")
                                .resolve(reportName() + "-" + time)
                                .resolve("report.json")
                        : report;
        return file.toAbsolutePath();
    }

    /** Where the logs go, beside a report. */
    public final Path logs(Path reportFile) {
        return logs == null ? reportFile.resolveSibling("logs") : logs;
    }

    /**
     * Creates the folder of a report, unless it is there, and makes sure that it can be written to,
     * before a run takes minutes.
     *
     * @param option of the command line that names another one
     * @throws IOException with the folder, the reason and the remedy, if it cannot
     */
    public static void createFolder(Path folder, String option) throws IOException {
        try {
            Files.createDirectories(folder);
            Files.delete(Files.createTempFile(folder, "writable", null));
        } catch (IOException e) {
            throw new IOException(
                    String.format(
                            "The report cannot be written to %s (%s). Let user %s write there, or"
                                    + " name another place with %s.",
                            folder, e, System.getProperty("user.name"), option),
                    e);
        }
    }

    /** Throws an {@link IllegalArgumentException} for the user unless it is so. */
    public static void require(boolean condition, String message) {
        if (!condition) {
            throw new IllegalArgumentException(message);
        }
    }
}
