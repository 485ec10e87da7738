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

/** In which order units leave a donor. */
public enum MigrationOrder {
    /** What a record waits for comes first, then what was used most recently. */
    DEMAND,

    /**
     * All in the order of their numbers, whatever is needed: key-group after key-group, once the
     * donor has processed all that came before the marker. Nothing is asked for.
     */
    SEQUENTIAL;

    /** Of two units, the one with the higher rank is pushed first. Not negative. */
    int rank(int unit, int lastUsed) {
        return this == DEMAND ? lastUsed : Integer.MAX_VALUE - unit;
    }
}
