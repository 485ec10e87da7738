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

import org.apache.flink.util.FlinkException;

/** A request that was not carried out and has changed nothing. The message names the remedy. */
public final class RescaleRefusedException extends FlinkException {
    private static final long serialVersionUID = 1L;

    /** What is wrong with the request. */
    public enum Kind {
        /** The vertex or the rescale does not exist: HTTP 404. */
        NOT_FOUND,
        /** The request cannot be carried out as it is: HTTP 400. */
        BAD_REQUEST,
        /** Not now: another rescale runs, or the job is not running: HTTP 409. */
        CONFLICT
    }

    private final Kind kind;

    public RescaleRefusedException(Kind kind, String message) {
        super(message);
        this.kind = kind;
    }

    public Kind getKind() {
        return kind;
    }
}
