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

package io.meces.core.id;

import java.util.UUID;

/** A vertex of a job; Flink's {@code JobVertexID}. */
public final class VertexId extends Id {
    private static final long serialVersionUID = 1L;

    public VertexId(long lower, long upper) {
        super(lower, upper);
    }

    /** One that nobody else has. */
    public static VertexId random() {
        UUID random = UUID.randomUUID();
        return new VertexId(random.getLeastSignificantBits(), random.getMostSignificantBits());
    }
}
