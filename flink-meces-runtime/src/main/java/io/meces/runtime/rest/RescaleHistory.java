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

import io.meces.api.Rescales;
import java.util.ArrayList;
import java.util.stream.Collectors;
import org.apache.flink.runtime.rest.messages.ResponseBody;

/** The rescales that are remembered, the newest last, as Flink 2.3 lists its own. */
final class RescaleHistory extends ArrayList<RescaleEvent> implements ResponseBody {
    private static final long serialVersionUID = 1L;

    /** Called by Jackson. */
    RescaleHistory() {}

    RescaleHistory(Rescales rescales) {
        super(rescales.rescales().stream().map(RescaleEvent::brief).collect(Collectors.toList()));
    }
}
