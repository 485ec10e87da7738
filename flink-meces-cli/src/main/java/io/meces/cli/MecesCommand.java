// SPDX-License-Identifier: Apache-2.0
package io.meces.cli;

import io.meces.cli.rest.RefusedException;
import io.meces.cli.rest.UnreachableException;
import java.io.PrintWriter;
import java.nio.file.FileSystemException;
import java.util.Map;
import java.util.ServiceLoader;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/** The command {@code meces}. */
@Command(
        name = "meces",
        description = "Rescales running jobs of Apache Flink.",
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class,
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            ListCommand.class,
            StatusCommand.class,
            TopCommand.class,
            RescaleCommand.class,
            AbortCommand.class,
            RequirementsCommand.class,
            AutoComplete.GenerateCompletion.class,
            HelpCommand.class
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:All went well.",
            "1:The rescale or something else failed, or a demo was not exact.",
            "2:The command line is wrong.",
            "3:The JobManager, or a proxy, refused it (HTTP status 4xx); nothing has changed.",
            "4:The JobManager cannot be reached."
        })
public final class MecesCommand implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(MecesCommand.class);

    @Spec private CommandSpec spec;

    /** The command line with all commands that are on the class path, ready to execute. */
    public static CommandLine commandLine() {
        return commandLine(System.getenv());
    }

    /**
     * The same in another environment.
     *
     * @param environment its variables
     */
    static CommandLine commandLine(Map<String, String> environment) {
        CommandLine line =
                new CommandLine(
                        new MecesCommand(),
                        new CommandLine.IFactory() {
                            @Override
                            public <K> K create(Class<K> type) throws Exception {
                                return type == JobManagerOption.class
                                        ? type.cast(new JobManagerOption(environment))
                                        : CommandLine.defaultFactory().create(type);
                            }
                        });
        ServiceLoader.load(MoreCommands.class).forEach(more -> more.addTo(line));
        // what applies to subcommands comes last
        return line.setCaseInsensitiveEnumValuesAllowed(true)
                .setParameterExceptionHandler((failure, arguments) -> explain(failure))
                .setExecutionExceptionHandler(
                        (failure, command, parsed) -> explain(failure, command.getErr()));
    }

    /** What is wrong, and where to read on: the whole usage would hide it. */
    private static int explain(ParameterException failure) {
        CommandLine command = failure.getCommandLine();
        PrintWriter err = command.getErr();
        err.println(failure.getMessage());
        UnmatchedArgumentException.printSuggestions(failure, err);
        err.printf("%s --help says more.%n", command.getCommandSpec().qualifiedName());
        err.flush();
        return ExitCodes.USAGE;
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Which command?");
    }

    private static int explain(Exception failure, PrintWriter err) {
        LOG.debug("The command failed.", failure);
        err.println(describe(failure));
        err.flush();
        if (failure instanceof RefusedException && ((RefusedException) failure).isRefusal()) {
            return ExitCodes.REFUSED;
        }
        return failure instanceof UnreachableException ? ExitCodes.UNREACHABLE : ExitCodes.FAILED;
    }

    private static String describe(Exception failure) {
        if (failure instanceof FileSystemException
                && ((FileSystemException) failure).getReason() == null) {
            // its message is a path, and its class says what is wrong
            return failure.toString();
        }
        return failure.getMessage() == null ? failure.toString() : failure.getMessage();
    }
}
