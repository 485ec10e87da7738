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
