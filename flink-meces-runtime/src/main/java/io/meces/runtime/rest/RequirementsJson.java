// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.rest;

import io.meces.api.ParallelismBounds;
import io.meces.api.ResourceRequirements;
import java.io.IOException;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonGenerator;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonParser;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.DeserializationContext;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonDeserializer;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonMappingException;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonSerializer;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.SerializerProvider;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.module.SimpleModule;

/** The JSON that Flink has for {@link ResourceRequirements} (FLIP-291). Stateless. */
final class RequirementsJson {

    private static final String PARALLELISM = "parallelism";
    private static final String LOWER = "lowerBound";
    private static final String UPPER = "upperBound";

    private RequirementsJson() {}

    static SimpleModule module() {
        return new SimpleModule("requirements")
                .addSerializer(ResourceRequirements.class, new Writer())
                .addDeserializer(ResourceRequirements.class, new Reader());
    }

    /** To JSON. */
    static final class Writer extends JsonSerializer<ResourceRequirements> {
        @Override
        public void serialize(
                ResourceRequirements requirements, JsonGenerator out, SerializerProvider provider)
                throws IOException {
            out.writeStartObject();
            for (Map.Entry<String, ParallelismBounds> vertex : requirements.vertices().entrySet()) {
                out.writeObjectFieldStart(vertex.getKey());
                out.writeObjectFieldStart(PARALLELISM);
                out.writeNumberField(LOWER, vertex.getValue().lower());
                out.writeNumberField(UPPER, vertex.getValue().upper());
                out.writeEndObject();
                out.writeEndObject();
            }
            out.writeEndObject();
        }
    }

    /** From JSON. */
    static final class Reader extends JsonDeserializer<ResourceRequirements> {
        @Override
        public ResourceRequirements deserialize(JsonParser in, DeserializationContext context)
                throws IOException {
            JsonNode body = context.readValue(in, JsonNode.class);
            if (!body.isObject()) {
                throw malformed(in, "it is no object of vertices");
            }
            Map<String, ParallelismBounds> vertices = new LinkedHashMap<>();
            Iterator<Map.Entry<String, JsonNode>> members = body.fields();
            while (members.hasNext()) {
                Map.Entry<String, JsonNode> member = members.next();
                vertices.put(member.getKey(), bounds(in, member.getKey(), member.getValue()));
            }
            return new ResourceRequirements(vertices);
        }

        private static ParallelismBounds bounds(JsonParser in, String vertex, JsonNode value)
                throws IOException {
            JsonNode parallelism = value.path(PARALLELISM);
            JsonNode lower = parallelism.path(LOWER);
            JsonNode upper = parallelism.path(UPPER);
            if (value.size() != 1
                    || parallelism.size() != 2
                    || !lower.canConvertToInt()
                    || !lower.isIntegralNumber()
                    || !upper.canConvertToInt()
                    || !upper.isIntegralNumber()) {
                throw malformed(
                        in,
                        "vertex "
                                + vertex
                                + " is not as in {\"parallelism\":"
                                + "{\"lowerBound\":1,\"upperBound\":4}}");
            }
            return new ParallelismBounds(lower.intValue(), upper.intValue());
        }

        private static JsonMappingException malformed(JsonParser in, String problem) {
            return JsonMappingException.from(in, problem);
        }
    }
}
