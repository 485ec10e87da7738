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
            ApiJson.write(out, body.value);
        }
    }
}
