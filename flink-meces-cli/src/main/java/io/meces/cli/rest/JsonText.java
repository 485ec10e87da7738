// SPDX-License-Identifier: Apache-2.0
package io.meces.cli.rest;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;

/** Values of {@code io.meces.api} as text, with all their members, as the JobManager has them. */
public final class JsonText {

    private static final ObjectMapper MAPPER =
            new LenientJson().setSerializationInclusion(JsonInclude.Include.ALWAYS);

    private JsonText() {}

    /** One line of JSON. */
    public static String of(Object value) throws IOException {
        return MAPPER.writeValueAsString(value);
    }
}
