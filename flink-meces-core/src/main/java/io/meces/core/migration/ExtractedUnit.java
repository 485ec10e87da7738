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

package io.meces.core.migration;

/** A unit that has been taken out of the state, to be sent. */
final class ExtractedUnit {

    final int receiver;
    final int unit;
    final byte[] state;

    /** What the receiver needs to read the state: {@link UnitState#schema}. */
    final byte[] schema;

    /** Whether a record waits for it. */
    boolean onDemand;

    ExtractedUnit(int receiver, int unit, byte[] state, byte[] schema, boolean onDemand) {
        this.receiver = receiver;
        this.unit = unit;
        this.state = state;
        this.schema = schema;
        this.onDemand = onDemand;
    }
}
