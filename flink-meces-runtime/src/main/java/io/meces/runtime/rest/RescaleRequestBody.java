// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.rest;

import io.meces.api.RescaleRequest;
import java.io.IOException;
import org.apache.flink.runtime.rest.messages.RequestBody;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonParser;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.DeserializationContext;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonDeserializer;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.annotation.JsonDeserialize;

/** A {@link RescaleRequest} as the body of a request. */
@JsonDeserialize(using = RescaleRequestBody.Reader.class)
final class RescaleRequestBody implements RequestBody {

    final RescaleRequest request;

    RescaleRequestBody(RescaleRequest request) {
        this.request = request;
    }

    /** Called by Jackson. */
    static final class Reader extends JsonDeserializer<RescaleRequestBody> {
        @Override
        public RescaleRequestBody deserialize(JsonParser in, DeserializationContext context)
                throws IOException {
            return new RescaleRequestBody(StrictJson.read(in, RescaleRequest.class));
        }
    }
}
