// SPDX-License-Identifier: Apache-2.0
package io.meces.api;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The rescales of a job that are remembered, the newest last. Immutable. */
public final class Rescales implements Serializable {
    private static final long serialVersionUID = 1L;

    private List<RescaleDetails> rescales = new ArrayList<>();

    private Rescales() {}

    public Rescales(List<RescaleDetails> rescales) {
        this.rescales = new ArrayList<>(rescales);
    }

    public List<RescaleDetails> rescales() {
        return Collections.unmodifiableList(rescales);
    }
}
