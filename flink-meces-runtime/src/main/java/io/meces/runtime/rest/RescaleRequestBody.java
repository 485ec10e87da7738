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
            return new RescaleRequestBody(ApiJson.read(in, RescaleRequest.class));
        }
    }
}
