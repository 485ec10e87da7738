// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import java.lang.reflect.Field;
import java.util.Collection;
import org.apache.flink.runtime.checkpoint.CheckpointCoordinator;
import org.apache.flink.runtime.executiongraph.DefaultExecutionGraph;
import org.apache.flink.runtime.executiongraph.ExecutionGraph;

/**
 * When the checkpoints of a job begin. Flink stops them, and aborts the one that is under way, as
 * soon as any subtask is neither running nor finished; one that has been cancelled counts for ever.
 * In a job that is rescaled subtasks come and go. So they begin with the job and end with it, as in
 * earlier lines; which subtasks take part in one is determined when it is triggered.
 *
 * <p>Flink keeps to itself who listens to subtasks; the field is opened once, when this class is
 * initialized, and a Flink without it fails there.
 */
public final class CheckpointStarts {

    private static final Field LISTENERS = listeners();

    private CheckpointStarts() {}

    /** Has them depend on the state of the job alone. Before any subtask is scheduled. */
    public static void ofJob(ExecutionGraph graph) {
        CheckpointCoordinator coordinator = graph.getCheckpointCoordinator();
        if (coordinator == null || !coordinator.isPeriodicCheckpointingConfigured()) {
            return;
        }
        try {
            // made already: the same one
            ((Collection<?>) LISTENERS.get(graph))
                    .remove(coordinator.createActivatorDeactivator(true));
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Field listeners() {
        String name = "executionStateUpdateListeners";
        try {
            Field field = DefaultExecutionGraph.class.getDeclaredField(name);
            field.setAccessible(true);
            return field;
        } catch (NoSuchFieldException e) {
            throw new IllegalStateException("This Flink has no DefaultExecutionGraph." + name, e);
        }
    }
}
