// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.rest;

import java.io.IOException;
import java.io.Serializable;
import org.apache.flink.runtime.rest.messages.ResponseBody;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonGenerator;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonSerializer;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.SerializerProvider;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.annotation.JsonSerialize;

/** A value of {@code io.meces.api} as the body of an answer. */
@JsonSerialize(using = AnswerBody.Writer.class)
final class AnswerBody implements ResponseBody {

    private final Serializable value;

    AnswerBody(Serializable value) {
        this.value = value;
    }

    /** Called by Jackson. */
    static final class Writer extends JsonSerializer<AnswerBody> {
        @Override
        public void serialize(AnswerBody body, JsonGenerator out, SerializerProvider serializers)
                throws IOException {
            StrictJson.write(out, body.value);
        }
    }
}
