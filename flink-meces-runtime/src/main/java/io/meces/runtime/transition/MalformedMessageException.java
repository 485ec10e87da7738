// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.transition;

import java.io.IOException;

/** What came is not an intact message of ours. */
public final class MalformedMessageException extends IOException {

    private static final long serialVersionUID = 1L;

    MalformedMessageException(String message) {
        super(message);
    }
}
