// SPDX-License-Identifier: Apache-2.0
package io.meces.api;

import java.io.Serializable;

/** A rescale has begun. Immutable. */
public final class RescaleAccepted implements Serializable {
    private static final long serialVersionUID = 1L;

    private String id;

    private RescaleAccepted() {}

    public RescaleAccepted(String id) {
        this.id = id;
    }

    /** Identifies the rescale within its job: 32 hex digits. */
    public String id() {
        return id;
    }
}
