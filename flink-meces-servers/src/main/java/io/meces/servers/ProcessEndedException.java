// SPDX-License-Identifier: Apache-2.0
package io.meces.servers;

/** A process has ended by itself; the message has the end of its log. */
public final class ProcessEndedException extends Exception {
    private static final long serialVersionUID = 1L;

    ProcessEndedException(String message) {
        super(message);
    }
}
