// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.commands;

import io.meces.experiments.cluster.Installation;
import java.io.IOException;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code meces autoscale}. */
@Command(
        name = "autoscale",
        description = {
            "Runs Flink's own autoscaler against a cluster, until it is stopped.",
            "Its options, job.autoscaler.*, are read from the configuration of the cluster; -D has"
                    + " precedence."
        },
        mixinStandardHelpOptions = true)
final class AutoscaleCommand implements Callable<Integer> {

    @Spec private CommandSpec spec;

    @Option(
            names = "--jobmanager",
            paramLabel = "HOST:PORT",
            defaultValue = "localhost:8081",
            description = "The JobManager's REST address. Default: ${DEFAULT-VALUE}.")
    private String jobManager;

    @Option(
            names = "--interval",
            paramLabel = "SECONDS",
            defaultValue = "10",
            description = "How often to look at the jobs. Default: ${DEFAULT-VALUE}.")
    private int intervalSeconds;

    @Option(
            names = "-D",
            paramLabel = "KEY=VALUE",
            description = "An option, such as job.autoscaler.target.utilization=0.6.")
    private Map<String, String> options = new LinkedHashMap<>();

    @Option(
            names = "--json",
            description = "Print what it requires of jobs, a line of JSON each time.")
    private boolean json;

    /** What it prints is the output of this command, and its exit code is that of this command. */
    @Override
    public Integer call() throws IOException, InterruptedException {
        if (intervalSeconds < 1) {
            throw new ParameterException(spec.commandLine(), "--interval has to be positive.");
        }
        Installation installation =
                new Installation(Paths.get(System.getProperty("meces.home", "")));
        List<String> arguments = new ArrayList<>();
        arguments.addAll(Arrays.asList("--jobmanager", jobManager));
        arguments.addAll(Arrays.asList("--interval", String.valueOf(intervalSeconds)));
        options.forEach((key, value) -> arguments.add("-D" + key + "=" + value));
        if (json) {
            arguments.add("--json");
        }
        Process process =
                new ProcessBuilder(installation.autoscaler(arguments.toArray(new String[0])))
                        .inheritIO()
                        .start();
        Runtime.getRuntime().addShutdownHook(new Thread(process::destroy));
        return process.waitFor();
    }
}
