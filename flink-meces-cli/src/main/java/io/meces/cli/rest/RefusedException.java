// SPDX-License-Identifier: Apache-2.0
package io.meces.cli.rest;

import java.io.IOException;

/** The JobManager has answered with an error. */
public final class RefusedException extends IOException {
    private static final long serialVersionUID = 1L;

    private final int status;

    RefusedException(int status, String message) {
        super(message);
        this.status = status;
    }

    /** The HTTP status. */
    public int status() {
        return status;
    }

    /** Whether the request was at fault (4xx), rather than the JobManager (5xx). */
    public boolean isRefusal() {
        return status >= 400 && status < 500;
    }
}
