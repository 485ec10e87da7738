// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.rest;

import io.meces.flink.runtime.FirstVersion;
import java.util.function.Supplier;
import org.apache.flink.runtime.rest.HttpMethodWrapper;
import org.apache.flink.runtime.rest.messages.EmptyRequestBody;
import org.apache.flink.runtime.rest.messages.JobMessageParameters;
import org.apache.flink.runtime.rest.messages.JobVertexMessageParameters;
import org.apache.flink.runtime.rest.messages.MessageParameters;
import org.apache.flink.runtime.rest.messages.RequestBody;
import org.apache.flink.runtime.rest.messages.UntypedResponseMessageHeaders;

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
                    JobMessageParameters::new);

    /** The key-groups of a vertex: owners, load, state. */
    static final MecesHeaders<EmptyRequestBody, JobVertexMessageParameters> KEY_GROUPS =
            new MecesHeaders<>(
                    HttpMethodWrapper.GET,
                    "/jobs/:jobid/vertices/:vertexid/key-groups",
                    EmptyRequestBody.class,
                    JobVertexMessageParameters::new);

    /** Begins a rescale, or tells what it would do. */
    static final MecesHeaders<RescaleRequestBody, JobMessageParameters> RESCALE =
            new MecesHeaders<>(
                    HttpMethodWrapper.POST,
                    RESCALES_URL,
                    RescaleRequestBody.class,
                    JobMessageParameters::new);

    /** Between which parallelisms vertices are to run. */
    static final MecesHeaders<EmptyRequestBody, JobMessageParameters> REQUIREMENTS =
            new MecesHeaders<>(
                    HttpMethodWrapper.GET,
                    REQUIREMENTS_URL,
                    EmptyRequestBody.class,
                    JobMessageParameters::new);

    /** Sets that. A PUT comes as this, as {@link PutRequests} says. */
    static final MecesHeaders<RequirementsBody, JobMessageParameters> REQUIRE =
            new MecesHeaders<>(
                    HttpMethodWrapper.PATCH,
                    REQUIREMENTS_URL,
                    RequirementsBody.class,
                    JobMessageParameters::new);

    /** The configuration of a job. */
    static final MecesHeaders<EmptyRequestBody, JobMessageParameters> CONFIGURATION =
            new MecesHeaders<>(
                    HttpMethodWrapper.GET,
                    "/jobs/:jobid/jobmanager/config",
                    EmptyRequestBody.class,
                    JobMessageParameters::new);

    /** How the rescales of a job stand. */
    static final MecesHeaders<EmptyRequestBody, JobMessageParameters> RESCALES =
            new MecesHeaders<>(
                    HttpMethodWrapper.GET,
                    RESCALES_URL,
                    EmptyRequestBody.class,
                    JobMessageParameters::new);

    /** How one rescale stands. */
    static final MecesHeaders<EmptyRequestBody, RescaleMessageParameters> DETAILS =
            new MecesHeaders<>(
                    HttpMethodWrapper.GET,
                    RESCALE_URL,
                    EmptyRequestBody.class,
                    RescaleMessageParameters::new);

    /** How many rescales have ended how, as Flink 2.3 tells it. */
    static final MecesHeaders<EmptyRequestBody, JobMessageParameters> OVERVIEW =
            new MecesHeaders<>(
                    HttpMethodWrapper.GET,
                    RESCALES_URL + "/overview",
                    EmptyRequestBody.class,
                    JobMessageParameters::new);

    /** All rescales, as Flink 2.3 tells of them. */
    static final MecesHeaders<EmptyRequestBody, JobMessageParameters> HISTORY =
            new MecesHeaders<>(
                    HttpMethodWrapper.GET,
                    RESCALES_URL + "/history",
                    EmptyRequestBody.class,
                    JobMessageParameters::new);

    /** One rescale, as Flink 2.3 tells of it. */
    static final MecesHeaders<EmptyRequestBody, RescaleMessageParameters> EVENT =
            new MecesHeaders<>(
                    HttpMethodWrapper.GET,
                    RESCALES_URL + "/details/:" + RescaleIdPathParameter.KEY,
                    EmptyRequestBody.class,
                    RescaleMessageParameters::new);

    /** Ends a rescale early. */
    static final MecesHeaders<EmptyRequestBody, AbortMessageParameters> ABORT =
            new MecesHeaders<>(
                    HttpMethodWrapper.DELETE,
                    RESCALE_URL,
                    EmptyRequestBody.class,
                    AbortMessageParameters::new);

    private final HttpMethodWrapper method;
    private final String url;
    private final Class<R> requestClass;
    private final Supplier<M> parameters;

    private MecesHeaders(
            HttpMethodWrapper method, String url, Class<R> requestClass, Supplier<M> parameters) {
        this.method = method;
        this.url = url;
        this.requestClass = requestClass;
        this.parameters = parameters;
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
}
