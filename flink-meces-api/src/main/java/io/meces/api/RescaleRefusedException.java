// SPDX-License-Identifier: Apache-2.0
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
