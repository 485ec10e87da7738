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

import java.io.IOException;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.annotation.JsonAutoDetect.Visibility;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.annotation.PropertyAccessor;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonGenerator;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonParser;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.PropertyNamingStrategy;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.module.SimpleModule;

/**
 * The JSON of the values of {@code io.meces.api}, by the rule that is told there. Strict: a member
 * that no field has is an error, and so is a number with a fraction for an integer. Thread-safe.
 */
final class ApiJson {

    private static final ObjectMapper MAPPER =
            new ObjectMapper()
                    .setVisibility(PropertyAccessor.ALL, Visibility.NONE)
                    .setVisibility(PropertyAccessor.FIELD, Visibility.ANY)
                    .setPropertyNamingStrategy(PropertyNamingStrategy.KEBAB_CASE)
                    .registerModule(RequirementsJson.module())
                    .registerModule(
                            new SimpleModule("numbers")
                                    .addDeserializer(Integer.class, new WholeNumber()));

    private ApiJson() {}

    static void write(JsonGenerator out, Object value) throws IOException {
        MAPPER.writeValue(out, value);
    }

    static <T> T read(JsonParser in, Class<T> type) throws IOException {
        return MAPPER.readValue(in, type);
    }
}
