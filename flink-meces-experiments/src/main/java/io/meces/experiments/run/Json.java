// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.run;

import com.fasterxml.jackson.annotation.JsonAutoDetect.Visibility;
import com.fasterxml.jackson.annotation.PropertyAccessor;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.std.StdSerializer;
import java.io.IOException;
import java.nio.file.Path;

/**
 * The JSON of reports: the fields of values by their names, {@code durationMs} as {@code
 * duration-ms}; NaN as null, which JSON has in its place.
 */
public final class Json {
    private static final ObjectMapper MAPPER =
            new ObjectMapper()
                    .setVisibility(PropertyAccessor.ALL, Visibility.NONE)
                    .setVisibility(PropertyAccessor.FIELD, Visibility.ANY)
                    .setPropertyNamingStrategy(PropertyNamingStrategies.KEBAB_CASE)
                    .enable(SerializationFeature.INDENT_OUTPUT)
                    .enable(SerializationFeature.WRITE_ENUMS_USING_TO_STRING)
                    .registerModule(
                            new SimpleModule()
                                    .addSerializer(Double.class, new NumberOrNull())
                                    .addSerializer(double.class, new NumberOrNull()));

    private Json() {}

    /** Writes a value to a file. */
    public static void write(Object value, Path file) throws IOException {
        MAPPER.writeValue(file.toFile(), value);
    }

    /** What is written of a value. */
    public static JsonNode of(Object value) {
        return MAPPER.valueToTree(value);
    }

    private static final class NumberOrNull extends StdSerializer<Double> {
        private static final long serialVersionUID = 1L;

        NumberOrNull() {
            super(Double.class);
        }

        @Override
        public void serialize(Double value, JsonGenerator json, SerializerProvider provider)
                throws IOException {
            if (Double.isFinite(value)) {
                json.writeNumber(value);
            } else {
                json.writeNull();
            }
        }
    }
}
