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
