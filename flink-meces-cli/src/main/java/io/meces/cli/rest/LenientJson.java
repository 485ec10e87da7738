// SPDX-License-Identifier: Apache-2.0
package io.meces.cli.rest;

import com.fasterxml.jackson.annotation.JsonAutoDetect.Visibility;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.PropertyAccessor;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonSerializer;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.TextNode;
import io.meces.api.ParallelismBounds;
import io.meces.api.ResourceRequirements;
import java.io.IOException;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * The JSON of the values of {@code io.meces.api}, by the rule that is told there. Lenient: of a
 * JobManager of a later version it reads what it knows. Names of jobs and vertices are what
 * somebody else has typed, and may end up on a terminal: of control characters, a tree that is read
 * has none but tabs and ends of lines, and of those that turn the direction of writing none.
 */
final class LenientJson extends ObjectMapper {
    private static final long serialVersionUID = 1L;

    LenientJson() {
        setVisibility(PropertyAccessor.ALL, Visibility.NONE);
        setVisibility(PropertyAccessor.FIELD, Visibility.ANY);
        setPropertyNamingStrategy(PropertyNamingStrategies.KEBAB_CASE);
        setSerializationInclusion(JsonInclude.Include.NON_NULL);
        disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);
        enable(DeserializationFeature.READ_UNKNOWN_ENUM_VALUES_AS_NULL);
        setNodeFactory(new PlainText());
        registerModule(
                new SimpleModule("requirements")
                        .addSerializer(ResourceRequirements.class, new Requirements()));
    }

    /** As Flink's REST interface has them (FLIP-291): by vertex, in camel case. */
    private static final class Requirements extends JsonSerializer<ResourceRequirements> {

        @Override
        public void serialize(
                ResourceRequirements requirements, JsonGenerator out, SerializerProvider provider)
                throws IOException {
            out.writeStartObject();
            for (Map.Entry<String, ParallelismBounds> vertex : requirements.vertices().entrySet()) {
                out.writeObjectFieldStart(vertex.getKey());
                out.writeObjectFieldStart("parallelism");
                out.writeNumberField("lowerBound", vertex.getValue().lower());
                out.writeNumberField("upperBound", vertex.getValue().upper());
                out.writeEndObject();
                out.writeEndObject();
            }
            out.writeEndObject();
        }
    }

    private static final class PlainText extends JsonNodeFactory {
        private static final long serialVersionUID = 1L;
        private static final Pattern CONTROL =
                Pattern.compile("[\\p{Cc}\\u202A-\\u202E\\u2066-\\u2069&&[^\\t\\n\\r]]|\\r(?!\\n)");

        @Override
        public TextNode textNode(String text) {
            return super.textNode(text == null ? null : CONTROL.matcher(text).replaceAll("?"));
        }
    }
}
