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

package io.meces.runtime.rescale;

/** What REST shows as the station of a rescale, in its order; the names are part of the API. */
enum ShownState {
    DEPLOYING("Deploying"),
    QUIESCING("Quiescing"),
    BEGINNING("Beginning"),
    CONNECTING("Connecting"),
    WITHDRAWING("Withdrawing"),
    UNDEPLOYING("Undeploying"),
    STARTING("Starting"),
    MIGRATING("Migrating"),
    PAUSING("Pausing"),
    YIELDING("Yielding"),
    DRAINING("Draining"),
    CONFIRMING("Confirming"),
    READING("Reading"),
    RETIRING("Retiring"),
    CANCELLING("Cancelling"),
    DISCONNECTING("Disconnecting"),
    RECOVERING("Recovering");

    private final String name;

    ShownState(String name) {
        this.name = name;
    }

    @Override
    public String toString() {
        return name;
    }
}
