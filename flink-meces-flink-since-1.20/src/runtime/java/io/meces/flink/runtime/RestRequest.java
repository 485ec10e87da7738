// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import java.util.List;
import org.apache.flink.runtime.rest.handler.HandlerRequest;
import org.apache.flink.runtime.rest.messages.MessagePathParameter;
import org.apache.flink.runtime.rest.messages.MessageQueryParameter;
import org.apache.flink.runtime.rest.messages.RequestBody;

/** A request of REST. Immutable. */
public final class RestRequest<R extends RequestBody> {

    private final HandlerRequest<R> request;

    RestRequest(HandlerRequest<R> request) {
        this.request = request;
    }

    public R getRequestBody() {
        return request.getRequestBody();
    }

    public <X, P extends MessagePathParameter<X>> X getPathParameter(Class<P> parameter) {
        return request.getPathParameter(parameter);
    }

    public <X, P extends MessageQueryParameter<X>> List<X> getQueryParameter(Class<P> parameter) {
        return request.getQueryParameter(parameter);
    }
}
