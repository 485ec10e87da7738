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

package io.meces.runtime;

import java.time.Duration;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.configuration.MemorySize;

/** Every option of flink-meces, as it stands in {@code flink-conf.yaml}. */
public final class MecesOptions {

    public static final ConfigOption<Integer> MAX_RESCALE_PARALLELISM =
            ConfigOptions.key("meces.rescale.max-parallelism")
                    .intType()
                    .noDefaultValue()
                    .withDescription(
                            "Upper bound for the parallelism that a vertex can be rescaled to (its"
                                    + " capacity). Default: the max parallelism of the vertex. A"
                                    + " smaller value saves network buffers upstream: each result"
                                    + " partition needs capacity + 1.");

    public static final ConfigOption<Duration> SLOT_TIMEOUT =
            ConfigOptions.key("meces.rescale.slot-timeout")
                    .durationType()
                    .defaultValue(Duration.ofSeconds(30))
                    .withDescription(
                            "How long a rescale waits for slots and for its new subtasks to run"
                                    + " before it is given up. The job goes on undisturbed.");

    public static final ConfigOption<Integer> BATCH_SIZE =
            ConfigOptions.key("meces.migration.batch-size")
                    .intType()
                    .defaultValue(16)
                    .withDescription(
                            "How many key-groups a subtask gives or takes at most in one step of a"
                                    + " rescale. Checkpoints run between steps.");

    public static final ConfigOption<Duration> STEP_TIMEOUT =
            ConfigOptions.key("meces.migration.timeout")
                    .durationType()
                    .defaultValue(Duration.ofMinutes(2))
                    .withDescription(
                            "How long one step of a rescale may take. After that the job recovers"
                                    + " from its last checkpoint and the rescale has failed.");

    /** What becomes of a checkpoint that is on its way when a rescale begins. */
    public enum RunningCheckpoint {
        /** The rescale waits for it. */
        WAIT,
        /** It is aborted; savepoints are waited for all the same. */
        ABORT
    }

    public static final ConfigOption<RunningCheckpoint> RUNNING_CHECKPOINT =
            ConfigOptions.key("meces.migration.checkpoint")
                    .enumType(RunningCheckpoint.class)
                    .defaultValue(RunningCheckpoint.WAIT)
                    .withDescription(
                            "What becomes of a checkpoint that is on its way when a rescale begins:"
                                    + " the rescale WAITs for it, which can take long under back"
                                    + " pressure, or ABORTs it, and then pauses for a checkpoint between"
                                    + " steps only if it has run for 30 s without one. Savepoints"
                                    + " are waited for.");

    public static final ConfigOption<String> TRANSITION_SERVICE =
            ConfigOptions.key("meces.transition-service")
                    .stringType()
                    .defaultValue("netty")
                    .withDescription(
                            "How state travels between TaskManagers: netty, directly; or the name of"
                                    + " a class of yours that implements TransitionServiceFactory.");

    public static final ConfigOption<Integer> TRANSITION_PORT =
            ConfigOptions.key("meces.transition-service.netty.port")
                    .intType()
                    .defaultValue(0)
                    .withDescription(
                            "TCP port at which a TaskManager accepts state from other TaskManagers;"
                                    + " 0: a free one.");

    public static final ConfigOption<MemorySize> TRANSITION_IN_FLIGHT =
            ConfigOptions.key("meces.transition-service.in-flight")
                    .memoryType()
                    .defaultValue(MemorySize.ofMebiBytes(64))
                    .withDescription(
                            "Bytes of state that the tasks of a TaskManager may have sent and not"
                                    + " seen confirmed before they stop to migrate in the"
                                    + " background. What a record waits for is always sent.");

    public static final ConfigOption<MemorySize> TRANSITION_IN_FLIGHT_PER_PEER =
            ConfigOptions.key("meces.transition-service.in-flight-per-peer")
                    .memoryType()
                    .defaultValue(MemorySize.ofMebiBytes(1))
                    .withDescription(
                            "Bytes of state that a task may have sent in the background to one"
                                    + " other task and not seen confirmed.");

    public static final ConfigOption<MemorySize> TRANSITION_CHUNK_SIZE =
            ConfigOptions.key("meces.transition-service.chunk-size")
                    .memoryType()
                    .defaultValue(MemorySize.parse("64kb"))
                    .withDescription(
                            "Units that are migrated in the background to one task are collected"
                                    + " until they have so many bytes, then sent together. 0 sends"
                                    + " each unit on its own.");

    public static final ConfigOption<Duration> TRANSITION_CHUNK_LINGER =
            ConfigOptions.key("meces.transition-service.chunk-linger")
                    .durationType()
                    .defaultValue(Duration.ofMillis(2))
                    .withDescription("How long a unit waits for others to be sent with.");

    private MecesOptions() {}
}
