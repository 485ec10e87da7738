// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.rest;

import io.meces.flink.runtime.JsonNames;
import java.io.IOException;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.annotation.JsonAutoDetect.Visibility;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.annotation.PropertyAccessor;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonGenerator;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonParser;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.module.SimpleModule;

/**
 * The JSON of the values of {@code io.meces.api}, by the rule that is told there. Strict: a member
 * that no field has is an error, and so is a value of another kind, such as a number with a
 * fraction for an integer, or a text for a truth. Thread-safe.
 */
final class StrictJson {

    private static final ObjectMapper MAPPER =
            new ObjectMapper()
                    .setVisibility(PropertyAccessor.ALL, Visibility.NONE)
                    .setVisibility(PropertyAccessor.FIELD, Visibility.ANY)
                    .setPropertyNamingStrategy(JsonNames.KEBAB_CASE)
                    .registerModule(RequirementsJson.module())
                    .registerModule(
                            new SimpleModule("plain")
                                    .addDeserializer(Integer.class, new WholeNumber())
                                    .addDeserializer(String.class, PlainValue.text())
                                    .addDeserializer(boolean.class, PlainValue.truth()));

    private StrictJson() {}

    static void write(JsonGenerator out, Object value) throws IOException {
        MAPPER.writeValue(out, value);
    }

    static <T> T read(JsonParser in, Class<T> type) throws IOException {
        return MAPPER.readValue(in, type);
    }
}
