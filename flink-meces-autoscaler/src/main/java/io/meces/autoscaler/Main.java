// SPDX-License-Identifier: Apache-2.0
package io.meces.autoscaler;

import java.net.URI;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.apache.flink.configuration.Configuration;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The command line of the autoscaler. */
@Command(
        name = "autoscale",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Runs Flink's autoscaler (flink-kubernetes-operator) against a cluster, until it is"
                    + " stopped.",
            "Options of the autoscaler are read from the configuration of the cluster; -D has"
                    + " precedence."
        })
public final class Main implements Callable<Integer> {

    @Spec private CommandSpec spec;

    @Option(
            names = "--jobmanager",
            paramLabel = "HOST:PORT",
            defaultValue = "localhost:8081",
            description = "The JobManager's REST address, or its URL (default: ${DEFAULT-VALUE}).")
    private String jobManager;

    @Option(
            names = "--interval",
            paramLabel = "SECONDS",
            defaultValue = "10",
            description = "How often to look at the jobs (default: ${DEFAULT-VALUE} s).")
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

    private Main() {}

    /** Ends the JVM; with 0 only after {@code --help} and the like. */
    public static void main(String[] arguments) {
        System.exit(new CommandLine(new Main()).execute(arguments));
    }

    @Override
    public Integer call() throws InterruptedException {
        if (intervalSeconds < 1) {
            throw new CommandLine.ParameterException(
                    new CommandLine(this), "--interval must be at least 1 s.");
        }
        URI address = URI.create(jobManager.contains("://") ? jobManager : "http://" + jobManager);
        if (address.getHost() == null || address.getPort() < 0) {
            throw new CommandLine.ParameterException(
                    new CommandLine(this), "--jobmanager is not HOST:PORT: " + jobManager);
        }
        Cluster cluster = new Cluster(address);
        RequirementsRealizer realizer =
                new RequirementsRealizer(cluster, json ? spec.commandLine().getOut() : null);
        new Autoscaler(cluster, realizer, Configuration.fromMap(options))
                .run(Duration.ofSeconds(intervalSeconds));
        return 0;
    }
}
