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

package io.meces.core.simulation;

/**
 * The simulated rescale did something that users would notice: a record lost, late, out of order.
 * Each seed runs in one thread.
 */
final class Violation extends AssertionError {
    private static final long serialVersionUID = 1L;

    private static final ThreadLocal<Violation> LAST = new ThreadLocal<>();

    Violation(String message) {
        super(message);
        LAST.set(this);
    }

    /** A simulation begins. */
    static void forgetLast() {
        LAST.remove();
    }

    /** Throws what was thrown, and may have been caught by the code under test. */
    static void throwLast() {
        if (LAST.get() != null) {
            throw LAST.get();
        }
    }
}
