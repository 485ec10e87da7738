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

package io.meces.api;

/** A request that was not carried out and has changed nothing. The message names the remedy. */
public final class RescaleRefusedException extends Exception {
    private static final long serialVersionUID = 1L;

    /** What is wrong with the request. */
    public enum Kind {
        /** The request cannot be carried out as it is. */
        BAD_REQUEST(400),
        /** The job, the vertex or the rescale does not exist. */
        NOT_FOUND(404),
        /** Not now: another rescale runs, or the job is not running. */
        CONFLICT(409);

        private final int httpStatus;

        Kind(int httpStatus) {
            this.httpStatus = httpStatus;
        }

        public int httpStatus() {
            return httpStatus;
        }
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
