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

import io.meces.runtime.api.RescaleStatus;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.flink.runtime.rest.messages.ResponseBody;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.annotation.JsonCreator;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.annotation.JsonProperty;

/** The rescales of a job that are remembered, the newest last. */
public final class RescalesBody implements ResponseBody {

    @JsonProperty("rescales")
    public final List<RescaleStatusBody> rescales;

    @JsonCreator
    public RescalesBody(@JsonProperty("rescales") List<RescaleStatusBody> rescales) {
        this.rescales = rescales;
    }

    static RescalesBody of(List<RescaleStatus> rescales) {
        return new RescalesBody(
                rescales.stream().map(RescaleStatusBody::of).collect(Collectors.toList()));
    }
}
