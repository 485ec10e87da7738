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

import io.meces.runtime.api.RescaleAccepted;
import org.apache.flink.runtime.rest.messages.ResponseBody;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.annotation.JsonCreator;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.annotation.JsonProperty;

/** The JSON of {@link RescaleAccepted}. */
public final class RescaleAcceptedBody implements ResponseBody {

    @JsonProperty("id")
    public final String id;

    @JsonCreator
    public RescaleAcceptedBody(@JsonProperty("id") String id) {
        this.id = id;
    }

    static RescaleAcceptedBody of(RescaleAccepted accepted) {
        return new RescaleAcceptedBody(accepted.id);
    }
}
