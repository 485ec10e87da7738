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

package io.meces.cli.rest;

/** A vertex, and the parallelism that it shall have. */
public final class RescaleTarget {
    final String vertex;
    final int parallelism;

    /**
     * A target.
     *
     * @param vertex the name of the job vertex, or its id (32 hex digits)
     * @param parallelism what it shall have
     */
    public RescaleTarget(String vertex, int parallelism) {
        this.vertex = vertex;
        this.parallelism = parallelism;
    }

    boolean isById() {
        return vertex.matches("[0-9a-fA-F]{32}");
    }
}
