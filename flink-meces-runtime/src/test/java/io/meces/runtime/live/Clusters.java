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

package io.meces.runtime.live;

import io.meces.runtime.testing.MecesMiniCluster;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.TaskManagerOptions;

/** Clusters for the live tests. */
public final class Clusters {

    private Clusters() {}

    /** TaskManagers with network memory for elastic vertices of capacity 128. */
    public static MecesMiniCluster start(int taskManagers, int slots, Configuration more)
            throws Exception {
        Configuration configuration = new Configuration();
        configuration.set(TaskManagerOptions.NETWORK_MEMORY_MIN, MemorySize.parse("96m"));
        configuration.set(TaskManagerOptions.NETWORK_MEMORY_MAX, MemorySize.parse("96m"));
        configuration.set(TaskManagerOptions.MANAGED_MEMORY_SIZE, MemorySize.parse("4m"));
        configuration.addAll(more);
        return MecesMiniCluster.builder()
                .taskManagers(taskManagers)
                .slotsPerTaskManager(slots)
                .configuration(configuration)
                .start();
    }
}
