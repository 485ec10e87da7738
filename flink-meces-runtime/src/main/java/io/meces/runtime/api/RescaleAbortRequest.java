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

import org.apache.flink.runtime.operators.coordination.CoordinationRequest;

/**
 * Asks that a rescale ends early; answered by {@link RescaleStatuses} with the one that is being
 * aborted. A refusal is a {@link RescaleRefusedException} and has changed nothing: {@code
 * NOT_FOUND} if there is no such rescale, {@code CONFLICT} if it has ended or it is too late.
 */
public final class RescaleAbortRequest implements CoordinationRequest {
    private static final long serialVersionUID = 1L;

    /** What becomes of the key-groups that have moved. */
    public enum Mode {
        /** They stay where they are; the next rescale starts from there. */
        STOP,
        /** They move back, and subtasks that have been added leave. */
        ROLLBACK
    }

    public final String id;
    public final Mode mode;

    public RescaleAbortRequest(String id, Mode mode) {
        this.id = id;
        this.mode = mode;
    }
}
