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

package io.meces.runtime.api;

import javax.annotation.Nullable;
import org.apache.flink.runtime.operators.coordination.CoordinationRequest;

/**
 * Asks how the rescales of a job stand; answered by {@link RescaleStatuses}. An unknown id is a
 * {@link RescaleRefusedException} of kind {@code NOT_FOUND}.
 */
public final class RescaleStatusRequest implements CoordinationRequest {
    private static final long serialVersionUID = 1L;

    /** The id of one rescale; null asks for all that are remembered. */
    @Nullable public final String id;

    public RescaleStatusRequest(@Nullable String id) {
        this.id = id;
    }
}
