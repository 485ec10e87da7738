// SPDX-License-Identifier: Apache-2.0
package io.meces.cli;

import io.meces.api.Elasticity;
import io.meces.cli.rest.Job;
import io.meces.cli.rest.JobManagerClient;
import io.meces.cli.rest.RefusedException;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code meces list}. */
@Command(
        name = "list",
        description = "Lists the jobs, and what can be rescaled in them.",
        mixinStandardHelpOptions = true,
        abbreviateSynopsis = true)
final class ListCommand implements Callable<Integer> {

    @Spec private CommandSpec spec;
    @Mixin private JobManagerOption jobManager;
    @Mixin private JsonOption json;

    @Override
    public Integer call() throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        JobManagerClient client = jobManager.client();
        List<Job> jobs = client.jobs();
        if (json.isSet()) {
            json.print(Collections.singletonMap("jobs", described(client, jobs)), out);
            return ExitCodes.OK;
        }
        if (jobs.isEmpty()) {
            out.println("No jobs.");
        }
        for (Job job : jobs) {
            out.printf("%s  %s  %s%n", job.id, job.state, job.name);
            if (job.state.equals("RUNNING")) {
                vertices(client, job, out);
            }
        }
        out.flush();
        return ExitCodes.OK;
    }

    private static List<Map<String, Object>> described(JobManagerClient client, List<Job> jobs)
            throws IOException {
        List<Map<String, Object>> all = new ArrayList<>();
        for (Job job : jobs) {
            Map<String, Object> members = new LinkedHashMap<>();
            members.put("id", job.id);
            members.put("name", job.name);
            members.put("state", job.state);
            members.put("elasticity", job.state.equals("RUNNING") ? elasticity(client, job) : null);
            all.add(members);
        }
        return all;
    }

    /** That of a job which is refused as a whole has no vertices. */
    private static Elasticity elasticity(JobManagerClient client, Job job) throws IOException {
        try {
            return client.elasticity(job.id);
        } catch (RefusedException e) {
            if (!e.isRefusal()) {
                throw e;
            }
            return new Elasticity(Collections.emptyList(), e.getMessage(), Collections.emptyList());
        }
    }

    private static void vertices(JobManagerClient client, Job job, PrintWriter out)
            throws IOException {
        Elasticity elasticity = elasticity(client, job);
        if (elasticity.refusal() != null) {
            out.println("  cannot be rescaled: " + elasticity.refusal());
        }
        for (String warning : elasticity.warnings()) {
            out.println("  warning: " + warning);
        }
        for (Elasticity.Vertex vertex : elasticity.vertices()) {
            out.printf(
                    "  %s  parallelism %d (up to %d)  %s%n",
                    vertex.id(), vertex.parallelism(), vertex.capacity(), vertex.name());
        }
    }
}
