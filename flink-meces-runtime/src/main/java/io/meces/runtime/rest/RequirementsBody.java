// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.rest;

import io.meces.api.ResourceRequirements;
import java.io.IOException;
import org.apache.flink.runtime.rest.messages.RequestBody;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonParser;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.DeserializationContext;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonDeserializer;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.annotation.JsonDeserialize;

/** {@link ResourceRequirements} as the body of a request. */
@JsonDeserialize(using = RequirementsBody.Reader.class)
final class RequirementsBody implements RequestBody {

    final ResourceRequirements requirements;

    RequirementsBody(ResourceRequirements requirements) {
        this.requirements = requirements;
    }

    /** Called by Jackson. */
    static final class Reader extends JsonDeserializer<RequirementsBody> {
        @Override
        public RequirementsBody deserialize(JsonParser in, DeserializationContext context)
                throws IOException {
            return new RequirementsBody(StrictJson.read(in, ResourceRequirements.class));
        }
    }
}
