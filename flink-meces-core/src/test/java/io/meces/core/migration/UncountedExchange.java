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

/** Metrics that nobody looks at. */
public final class UncountedExchange implements ExchangeMetrics {

    public static final UncountedExchange INSTANCE = new UncountedExchange();

    private UncountedExchange() {}

    @Override
    public void requested() {
        // not counted
    }

    @Override
    public void fetched(long nanos) {
        // not counted
    }

    @Override
    public void granted(boolean onDemand) {
        // not counted
    }

    @Override
    public void confirmed(long nanos) {
        // not counted
    }

    @Override
    public void repeated(long messages) {
        // not counted
    }

    @Override
    public void duplicates(long messages) {
        // not counted
    }

    @Override
    public void stale() {
        // not counted
    }

    @Override
    public void malformed() {
        throw new AssertionError("a message makes no sense");
    }
}
