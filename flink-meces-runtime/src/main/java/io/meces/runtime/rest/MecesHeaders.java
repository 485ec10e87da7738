// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.rest;

import io.meces.api.Elasticity;
import io.meces.api.KeyGroups;
import io.meces.api.RescaleAccepted;
import io.meces.api.RescaleDetails;
import io.meces.api.RescalePlans;
import io.meces.api.Rescales;
import io.meces.api.ResourceRequirements;
import io.meces.flink.runtime.ConfigurationBody;
import io.meces.flink.runtime.FirstVersion;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.function.Supplier;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.rest.HttpMethodWrapper;
import org.apache.flink.runtime.rest.messages.EmptyRequestBody;
import org.apache.flink.runtime.rest.messages.EmptyResponseBody;
import org.apache.flink.runtime.rest.messages.JobMessageParameters;
import org.apache.flink.runtime.rest.messages.JobVertexMessageParameters;
import org.apache.flink.runtime.rest.messages.MessageParameters;
import org.apache.flink.runtime.rest.messages.RequestBody;
import org.apache.flink.runtime.rest.messages.UntypedResponseMessageHeaders;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.HttpResponseStatus;

/**
 * The requests of the REST interface, for its handlers. {@code docs/rest-api.md} says how they are
 * answered. Immutable.
 *
 * @param <R> the request body
 * @param <M> the parameters in the URL
 */
final class MecesHeaders<R extends RequestBody, M extends MessageParameters>
        implements UntypedResponseMessageHeaders<R, M>, FirstVersion {

    private static final String RESCALES_URL = "/jobs/:jobid/rescales";
    private static final String REQUIREMENTS_URL = "/jobs/:jobid/resource-requirements";
    private static final String RESCALE_URL = RESCALES_URL + "/:" + RescaleIdPathParameter.KEY;

    /** What can be rescaled in a job, and how it stands. */
    static final MecesHeaders<EmptyRequestBody, JobMessageParameters> ELASTICITY =
            new MecesHeaders<>(
                    HttpMethodWrapper.GET,
                    "/jobs/:jobid/elasticity",
                    EmptyRequestBody.class,
                    JobMessageParameters::new,
                    Answer.ok(Elasticity.class));

    /** The key-groups of a vertex: owners, load, state. */
    static final MecesHeaders<EmptyRequestBody, JobVertexMessageParameters> KEY_GROUPS =
            new MecesHeaders<>(
                    HttpMethodWrapper.GET,
                    "/jobs/:jobid/vertices/:vertexid/key-groups",
                    EmptyRequestBody.class,
                    JobVertexMessageParameters::new,
                    Answer.ok(KeyGroups.class));

    /** Begins a rescale, or tells what it would do. */
    static final MecesHeaders<RescaleRequestBody, JobMessageParameters> RESCALE =
            new MecesHeaders<>(
                    HttpMethodWrapper.POST,
                    RESCALES_URL,
                    RescaleRequestBody.class,
                    JobMessageParameters::new,
                    Answer.accepted(RescaleAccepted.class),
                    Answer.ok(RescalePlans.class));

    /** Between which parallelisms vertices are to run. */
    static final MecesHeaders<EmptyRequestBody, JobMessageParameters> REQUIREMENTS =
            new MecesHeaders<>(
                    HttpMethodWrapper.GET,
                    REQUIREMENTS_URL,
                    EmptyRequestBody.class,
                    JobMessageParameters::new,
                    Answer.ok(ResourceRequirements.class));

    /** Sets that. A PUT comes as this, as {@link OwnRequests} says. */
    static final MecesHeaders<RequirementsBody, JobMessageParameters> REQUIRE =
            new MecesHeaders<>(
                    HttpMethodWrapper.PATCH,
                    REQUIREMENTS_URL,
                    RequirementsBody.class,
                    JobMessageParameters::new,
                    Answer.ok(EmptyResponseBody.class));

    /** The configuration of a job. */
    static final MecesHeaders<EmptyRequestBody, JobMessageParameters> CONFIGURATION =
            new MecesHeaders<>(
                    HttpMethodWrapper.GET,
                    "/jobs/:jobid/jobmanager/config",
                    EmptyRequestBody.class,
                    JobMessageParameters::new,
                    Answer.ok(ConfigurationBody.of(new Configuration()).getClass()));

    /** How the rescales of a job stand. */
    static final MecesHeaders<EmptyRequestBody, JobMessageParameters> RESCALES =
            new MecesHeaders<>(
                    HttpMethodWrapper.GET,
                    RESCALES_URL,
                    EmptyRequestBody.class,
                    JobMessageParameters::new,
                    Answer.ok(Rescales.class));

    /** How one rescale stands. */
    static final MecesHeaders<EmptyRequestBody, RescaleMessageParameters> DETAILS =
            new MecesHeaders<>(
                    HttpMethodWrapper.GET,
                    RESCALE_URL,
                    EmptyRequestBody.class,
                    RescaleMessageParameters::new,
                    Answer.ok(RescaleDetails.class));

    /** How many rescales have ended how, as Flink 2.3 tells it. */
    static final MecesHeaders<EmptyRequestBody, JobMessageParameters> OVERVIEW =
            new MecesHeaders<>(
                    HttpMethodWrapper.GET,
                    RESCALES_URL + "/overview",
                    EmptyRequestBody.class,
                    JobMessageParameters::new,
                    Answer.ok(RescaleOverview.class));

    /** All rescales, as Flink 2.3 tells of them. */
    static final MecesHeaders<EmptyRequestBody, JobMessageParameters> HISTORY =
            new MecesHeaders<>(
                    HttpMethodWrapper.GET,
                    RESCALES_URL + "/history",
                    EmptyRequestBody.class,
                    JobMessageParameters::new,
                    Answer.ok(RescaleHistory.class));

    /** One rescale, as Flink 2.3 tells of it. */
    static final MecesHeaders<EmptyRequestBody, RescaleMessageParameters> EVENT =
            new MecesHeaders<>(
                    HttpMethodWrapper.GET,
                    RESCALES_URL + "/details/:" + RescaleIdPathParameter.KEY,
                    EmptyRequestBody.class,
                    RescaleMessageParameters::new,
                    Answer.ok(RescaleEvent.class));

    /** Ends a rescale early. */
    static final MecesHeaders<EmptyRequestBody, AbortMessageParameters> ABORT =
            new MecesHeaders<>(
                    HttpMethodWrapper.DELETE,
                    RESCALE_URL,
                    EmptyRequestBody.class,
                    AbortMessageParameters::new,
                    Answer.accepted(RescaleDetails.class));

    private final HttpMethodWrapper method;
    private final String url;
    private final Class<R> requestClass;
    private final Supplier<M> parameters;
    private final List<Answer> answers;

    private MecesHeaders(
            HttpMethodWrapper method,
            String url,
            Class<R> requestClass,
            Supplier<M> parameters,
            Answer... answers) {
        this.method = method;
        this.url = url;
        this.requestClass = requestClass;
        this.parameters = parameters;
        this.answers = Collections.unmodifiableList(Arrays.asList(answers));
    }

    /** What is answered if nothing is wrong; each has a status of its own. */
    List<Answer> answers() {
        return answers;
    }

    @Override
    public HttpMethodWrapper getHttpMethod() {
        return method;
    }

    @Override
    public String getTargetRestEndpointURL() {
        return url;
    }

    @Override
    public Class<R> getRequestClass() {
        return requestClass;
    }

    @Override
    public M getUnresolvedMessageParameters() {
        return parameters.get();
    }

    /** A status, and the value that comes with it. Immutable. */
    static final class Answer {
        final HttpResponseStatus status;
        final Class<?> type;

        private Answer(HttpResponseStatus status, Class<?> type) {
            this.status = status;
            this.type = type;
        }

        static Answer ok(Class<?> type) {
            return new Answer(HttpResponseStatus.OK, type);
        }

        static Answer accepted(Class<?> type) {
            return new Answer(HttpResponseStatus.ACCEPTED, type);
        }
    }
}
