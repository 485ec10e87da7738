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

package io.meces.state;

import javax.annotation.Nullable;
import org.apache.flink.runtime.state.StateBackend;

/**
 * A state backend whose keyed state can move between subtasks while the job runs: in an {@link
 * ElasticEnvironment} its keyed backends are {@link ElasticKeyedStateBackend}s.
 */
public interface ElasticStateBackend extends StateBackend {

    /** Sub-groups per key-group: how finely state moves. */
    int subGroups();

    /**
     * Why state cannot move as this backend is set up, and the remedy, in sentences; null if it
     * can.
     */
    @Nullable
    default String refusal() {
        return null;
    }
}
