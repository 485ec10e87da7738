// SPDX-License-Identifier: Apache-2.0
package io.meces.api;

import java.io.Serializable;

/** From which to which parallelism a vertex goes. Immutable. */
public class VertexChange implements Serializable {
    private static final long serialVersionUID = 1L;

    private String id;
    private String name;
    private int from;
    private int to;

    VertexChange() {}

    public VertexChange(String id, String name, int from, int to) {
        this.id = id;
        this.name = name;
        this.from = from;
        this.to = to;
    }

    VertexChange(VertexChange other) {
        this(other.id, other.name, other.from, other.to);
    }

    /** The id of the job vertex, in hex. */
    public final String id() {
        return id;
    }

    public final String name() {
        return name;
    }

    public final int from() {
        return from;
    }

    public final int to() {
        return to;
    }
}
