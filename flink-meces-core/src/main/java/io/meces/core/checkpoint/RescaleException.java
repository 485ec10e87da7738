// SPDX-License-Identifier: Apache-2.0
package io.meces.core.checkpoint;

/** Something of a rescale has failed, or will not happen any more. */
public final class RescaleException extends Exception {
    private static final long serialVersionUID = 1L;

    public RescaleException(String message) {
        super(message);
    }

    public RescaleException(String message, Throwable cause) {
        super(message, cause);
    }
}
