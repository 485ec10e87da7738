// SPDX-License-Identifier: Apache-2.0
package io.meces.cli;

import io.meces.api.Elasticity;
import io.meces.api.ParallelismBounds;
import io.meces.api.ResourceRequirements;
import io.meces.cli.rest.JobManagerClient;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import javax.annotation.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code meces requirements}. */
@Command(
        name = "requirements",
        description = {
            "Shows or sets the bounds of the parallelism of vertices.",
            "A vertex is brought to its upper bound, as far as there are slots."
        },
        mixinStandardHelpOptions = true,
        customSynopsis =
                "@|bold meces requirements|@ [OPTIONS] [--vertex=NAME --upper=N]... JOB-ID",
        footer = "Exit code 0: they are shown, or set, and rescales follow. Others: meces --help")
final class RequirementsCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;
    @Mixin private JobManagerOption jobManager;
    @Mixin private JsonOption json;

    @Parameters(index = "0", paramLabel = "JOB-ID", description = "The job.")
    private String jobId;

    @Nullable
    @ArgGroup(exclusive = false, multiplicity = "0..*")
    private List<Required> required;

    /** A vertex and its bounds. */
    static final class Required {
        @Option(
                names = "--vertex",
                paramLabel = "NAME",
                required = true,
                description = "The vertex, by name or id (meces list).")
        private String vertex;

        @Option(
                names = "--lower",
                paramLabel = "N",
                description = "The least parallelism. Default: 1.")
        private int lower = 1;

        @Option(
                names = "--upper",
                paramLabel = "N",
                required = true,
                description = "What it is to have as soon as there are slots.")
        private int upper;
    }

    @Override
    public Integer call() throws IOException {
        JobManagerClient client = jobManager.client();
        Elasticity elasticity = client.elasticity(jobId);
        if (required != null && !required.isEmpty()) {
            client.require(jobId, requirements(elasticity));
        }
        json.print(
                client.requirements(jobId),
                spec.commandLine().getOut(),
                (standing, out) -> print(elasticity, standing, out));
        return ExitCodes.OK;
    }

    private ResourceRequirements requirements(Elasticity elasticity) {
        Map<String, ParallelismBounds> bounds = new LinkedHashMap<>();
        for (Required one : required) {
            if (one.lower < 1 || one.upper < one.lower) {
                throw new ParameterException(
                        spec.commandLine(), "It has to be 1 <= --lower <= --upper.");
            }
            bounds.put(id(one.vertex, elasticity), new ParallelismBounds(one.lower, one.upper));
        }
        return new ResourceRequirements(bounds);
    }

    /**
     * What is no name of a vertex is taken for an id; the JobManager says what is wrong with it.
     */
    private String id(String vertex, Elasticity elasticity) {
        String found = null;
        for (Elasticity.Vertex one : elasticity.vertices()) {
            if (one.name().equals(vertex) || one.name().startsWith(vertex + " -> ")) {
                if (found != null) {
                    throw new ParameterException(
                            spec.commandLine(),
                            "Several vertices have the name " + vertex + "; name one by its id.");
                }
                found = one.id();
            }
        }
        return found == null ? vertex : found;
    }

    private static void print(
            Elasticity elasticity, ResourceRequirements requirements, PrintWriter out) {
        for (Elasticity.Vertex vertex : elasticity.vertices()) {
            ParallelismBounds bounds = requirements.vertices().get(vertex.id());
            out.printf(
                    "%s  parallelism %d, required %s  %s%n",
                    vertex.id(),
                    vertex.parallelism(),
                    bounds == null ? "nothing" : bounds.lower() + " to " + bounds.upper(),
                    vertex.name());
        }
    }
}
