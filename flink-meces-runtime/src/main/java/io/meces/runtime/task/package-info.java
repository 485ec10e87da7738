// SPDX-License-Identifier: Apache-2.0
/**
 * The task side: what the tasks next to and inside an elastic vertex do beyond Flink's own.
 *
 * <p>{@link io.meces.runtime.task.TaskAgent} takes the scheduler's commands; {@link
 * io.meces.runtime.task.UpstreamAgent} carries out those for the output, {@link
 * io.meces.runtime.task.ElasticAgent} has those for an elastic subtask driven by a {@link
 * io.meces.core.protocol.SubtaskRescale}, to which the {@link
 * io.meces.runtime.task.ElasticNetworkInput}s hand elements while a rescale runs. All of it belongs
 * to the task thread, unless a class says otherwise.
 */
package io.meces.runtime.task;
