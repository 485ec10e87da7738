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
