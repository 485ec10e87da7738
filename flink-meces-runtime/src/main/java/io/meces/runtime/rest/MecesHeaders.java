/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
 * in compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License
 * is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
 * or implied. See the License for the specific language governing permissions and limitations under
 * the License.
 */

package io.meces.runtime.rest;

import static org.apache.flink.shaded.netty4.io.netty.handler.codec.http.HttpResponseStatus.ACCEPTED;
import static org.apache.flink.shaded.netty4.io.netty.handler.codec.http.HttpResponseStatus.OK;

import java.util.function.Supplier;
import org.apache.flink.runtime.rest.HttpMethodWrapper;
import org.apache.flink.runtime.rest.messages.EmptyRequestBody;
import org.apache.flink.runtime.rest.messages.JobMessageParameters;
import org.apache.flink.runtime.rest.messages.MessageHeaders;
import org.apache.flink.runtime.rest.messages.MessageParameters;
import org.apache.flink.runtime.rest.messages.RequestBody;
import org.apache.flink.runtime.rest.messages.ResponseBody;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.HttpResponseStatus;

/**
 * The requests of the REST interface, for its handlers and for Flink's {@code RestClient}.
 * Immutable.
 *
 * @param <R> the request body
 * @param <P> the response body
 * @param <M> the parameters in the URL
 */
public final class MecesHeaders<
                R extends RequestBody, P extends ResponseBody, M extends MessageParameters>
        implements MessageHeaders<R, P, M> {

    /** What can be rescaled in a job, and how it stands. */
    public static final MecesHeaders<EmptyRequestBody, ElasticityBody, JobMessageParameters>
            ELASTICITY =
                    new MecesHeaders<>(
                            HttpMethodWrapper.GET,
                            "/jobs/:jobid/elasticity",
                            EmptyRequestBody.class,
                            ElasticityBody.class,
                            OK,
                            JobMessageParameters::new,
                            "Returns what can be rescaled in a job, and how it stands.");

    /** Begins a rescale. */
    public static final MecesHeaders<RescaleRequestBody, RescaleAcceptedBody, JobMessageParameters>
            RESCALE =
                    new MecesHeaders<>(
                            HttpMethodWrapper.POST,
                            "/jobs/:jobid/rescales",
                            RescaleRequestBody.class,
                            RescaleAcceptedBody.class,
                            ACCEPTED,
                            JobMessageParameters::new,
                            "Rescales vertices of a running job. With 'dry-run' nothing changes,"
                                    + " and the answer is the plan, with status 200.");

    /**
     * What a rescale would do: {@link #RESCALE} with {@code dry-run}, as a client sees it. Shares
     * its URL and is therefore no handler of its own.
     */
    public static final MecesHeaders<RescaleRequestBody, RescalePlansBody, JobMessageParameters>
            DRY_RUN =
                    new MecesHeaders<>(
                            HttpMethodWrapper.POST,
                            "/jobs/:jobid/rescales",
                            RescaleRequestBody.class,
                            RescalePlansBody.class,
                            OK,
                            JobMessageParameters::new,
                            "Returns what a rescale would do.");

    /** How the rescales of a job stand. */
    public static final MecesHeaders<EmptyRequestBody, RescalesBody, JobMessageParameters>
            RESCALES =
                    new MecesHeaders<>(
                            HttpMethodWrapper.GET,
                            "/jobs/:jobid/rescales",
                            EmptyRequestBody.class,
                            RescalesBody.class,
                            OK,
                            JobMessageParameters::new,
                            "Returns how the rescales of a job stand, the newest last.");

    /** How one rescale stands. */
    public static final MecesHeaders<EmptyRequestBody, RescaleStatusBody, RescaleMessageParameters>
            STATUS =
                    new MecesHeaders<>(
                            HttpMethodWrapper.GET,
                            "/jobs/:jobid/rescales/:" + RescaleIdPathParameter.KEY,
                            EmptyRequestBody.class,
                            RescaleStatusBody.class,
                            OK,
                            RescaleMessageParameters::new,
                            "Returns how a rescale stands.");

    /** Ends a rescale early. */
    public static final MecesHeaders<EmptyRequestBody, RescaleStatusBody, AbortMessageParameters>
            ABORT =
                    new MecesHeaders<>(
                            HttpMethodWrapper.DELETE,
                            "/jobs/:jobid/rescales/:" + RescaleIdPathParameter.KEY,
                            EmptyRequestBody.class,
                            RescaleStatusBody.class,
                            ACCEPTED,
                            AbortMessageParameters::new,
                            "Ends a rescale at its next step boundary. The answer is how it stands.");

    private final HttpMethodWrapper method;
    private final String url;
    private final Class<R> requestClass;
    private final Class<P> responseClass;
    private final HttpResponseStatus status;
    private final Supplier<M> parameters;
    private final String description;

    private MecesHeaders(
            HttpMethodWrapper method,
            String url,
            Class<R> requestClass,
            Class<P> responseClass,
            HttpResponseStatus status,
            Supplier<M> parameters,
            String description) {
        this.method = method;
        this.url = url;
        this.requestClass = requestClass;
        this.responseClass = responseClass;
        this.status = status;
        this.parameters = parameters;
        this.description = description;
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
    public Class<P> getResponseClass() {
        return responseClass;
    }

    @Override
    public HttpResponseStatus getResponseStatusCode() {
        return status;
    }

    @Override
    public M getUnresolvedMessageParameters() {
        return parameters.get();
    }

    @Override
    public String getDescription() {
        return description;
    }
}
