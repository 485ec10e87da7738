// SPDX-License-Identifier: Apache-2.0
package io.meces.autoscaler;

import java.net.URI;
import java.util.Collection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobID;
import org.apache.flink.client.program.rest.RestClusterClient;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.runtime.client.JobStatusMessage;
import org.apache.flink.runtime.highavailability.nonha.standalone.StandaloneClientHAServices;
import org.apache.flink.runtime.jobgraph.JobResourceRequirements;
import org.apache.flink.runtime.rest.HttpMethodWrapper;
import org.apache.flink.runtime.rest.messages.EmptyRequestBody;
import org.apache.flink.runtime.rest.messages.JobMessageParameters;
import org.apache.flink.runtime.rest.messages.MessageHeaders;
import org.apache.flink.runtime.rest.messages.MessageParameters;
import org.apache.flink.runtime.rest.messages.RequestBody;
import org.apache.flink.runtime.rest.messages.ResponseBody;
import org.apache.flink.runtime.rest.messages.RuntimeMessageHeaders;
import org.apache.flink.runtime.rest.messages.job.JobDetailsHeaders;
import org.apache.flink.runtime.rest.messages.job.JobDetailsInfo;
import org.apache.flink.runtime.rest.messages.job.JobManagerJobConfigurationHeaders;
import org.apache.flink.runtime.rest.messages.job.JobResourceRequirementsBody;
import org.apache.flink.runtime.rest.messages.job.JobResourceRequirementsHeaders;
import org.apache.flink.runtime.rest.messages.job.JobResourcesRequirementsUpdateHeaders;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.HttpResponseStatus;

/**
 * The REST interface of a cluster, as far as the autoscaler does not speak to it itself. Stateless,
 * for any thread; each wait is bounded.
 */
final class Cluster {

    private static final long TIMEOUT_SECONDS = 30;

    private final URI address;

    Cluster(URI address) {
        this.address = address;
    }

    /** To be closed by who has asked for it. */
    RestClusterClient<String> client() throws Exception {
        Configuration configuration = new Configuration();
        configuration.set(RestOptions.ADDRESS, address.getHost());
        configuration.set(RestOptions.PORT, address.getPort());
        return new Client(configuration, address);
    }

    Collection<JobStatusMessage> jobs() throws Exception {
        try (RestClusterClient<String> client = client()) {
            return client.listJobs().get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
        }
    }

    Configuration configuration(JobID job) throws Exception {
        Configuration configuration = new Configuration();
        try (RestClusterClient<String> client = client()) {
            client.sendRequest(
                            JobManagerJobConfigurationHeaders.getInstance(),
                            parameters(new JobMessageParameters(), job),
                            EmptyRequestBody.getInstance())
                    .get(TIMEOUT_SECONDS, TimeUnit.SECONDS)
                    .forEach(entry -> configuration.setString(entry.getKey(), entry.getValue()));
        }
        return configuration;
    }

    JobResourceRequirements requirements(JobID job) throws Exception {
        try (RestClusterClient<String> client = client()) {
            return client.sendRequest(
                            new JobResourceRequirementsHeaders(),
                            parameters(new JobMessageParameters(), job),
                            EmptyRequestBody.getInstance())
                    .get(TIMEOUT_SECONDS, TimeUnit.SECONDS)
                    .asJobResourceRequirements()
                    .orElseGet(JobResourceRequirements::empty);
        }
    }

    void require(JobID job, JobResourceRequirements requirements) throws Exception {
        try (RestClusterClient<String> client = client()) {
            client.sendRequest(
                            new JobResourcesRequirementsUpdateHeaders(),
                            parameters(new JobMessageParameters(), job),
                            new JobResourceRequirementsBody(requirements))
                    .get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
        }
    }

    private static JobMessageParameters parameters(JobMessageParameters parameters, JobID job) {
        parameters.jobPathParameter.resolve(job);
        return parameters;
    }

    /**
     * Asks for the details of a job where a Flink 1.12 with flink-meces has all that this client
     * needs. Thread-safe.
     */
    private static final class Client extends RestClusterClient<String> {
        private Client(Configuration configuration, URI address) throws Exception {
            super(
                    configuration,
                    "cluster",
                    (config, onError) -> new StandaloneClientHAServices(address.toString()));
        }

        @Override
        @SuppressWarnings("unchecked")
        public <
                        M extends MessageHeaders<R, P, U>,
                        U extends MessageParameters,
                        R extends RequestBody,
                        P extends ResponseBody>
                CompletableFuture<P> sendRequest(M headers, U parameters, R body) {
            return headers instanceof JobDetailsHeaders
                    ? super.sendRequest((M) new Details(), parameters, body)
                    : super.sendRequest(headers, parameters, body);
        }
    }

    /** {@code GET /jobs/:jobid/details}. Immutable. */
    private static final class Details
            implements RuntimeMessageHeaders<
                    EmptyRequestBody, JobDetailsInfo, JobMessageParameters> {
        private static final JobDetailsHeaders FLINKS = JobDetailsHeaders.getInstance();

        @Override
        public HttpMethodWrapper getHttpMethod() {
            return FLINKS.getHttpMethod();
        }

        @Override
        public String getTargetRestEndpointURL() {
            return FLINKS.getTargetRestEndpointURL() + "/details";
        }

        @Override
        public Class<EmptyRequestBody> getRequestClass() {
            return FLINKS.getRequestClass();
        }

        @Override
        public JobMessageParameters getUnresolvedMessageParameters() {
            return FLINKS.getUnresolvedMessageParameters();
        }

        @Override
        public Class<JobDetailsInfo> getResponseClass() {
            return FLINKS.getResponseClass();
        }

        @Override
        public HttpResponseStatus getResponseStatusCode() {
            return FLINKS.getResponseStatusCode();
        }

        @Override
        public String getDescription() {
            return FLINKS.getDescription();
        }
    }
}
