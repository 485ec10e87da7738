// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.function.LongPredicate;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.jobmanager.slots.TaskManagerGateway;

/**
 * The way to a TaskManager. Flink's coordinator decides for the job, not for a checkpoint, whether
 * barriers may overtake records; what it tells the first tasks, they pass on with the barriers. So
 * it is changed on its way to these. Thread-safe.
 */
final class AligningGateway implements InvocationHandler {

    private static final String TRIGGER = "triggerCheckpoint";

    private final TaskManagerGateway flinks;
    private final LongPredicate mayBeUnaligned;

    private AligningGateway(TaskManagerGateway flinks, LongPredicate mayBeUnaligned) {
        this.flinks = flinks;
        this.mayBeUnaligned = mayBeUnaligned;
    }

    /**
     * @param mayBeUnaligned by the id of a checkpoint
     */
    static TaskManagerGateway of(TaskManagerGateway flinks, LongPredicate mayBeUnaligned) {
        return (TaskManagerGateway)
                Proxy.newProxyInstance(
                        AligningGateway.class.getClassLoader(),
                        new Class<?>[] {TaskManagerGateway.class},
                        new AligningGateway(flinks, mayBeUnaligned));
    }

    @Override
    public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
        Object[] passed = arguments;
        // attempt, job, checkpoint, timestamp, options
        if (method.getName().equals(TRIGGER) && !mayBeUnaligned.test((long) arguments[2])) {
            passed = arguments.clone();
            passed[4] = aligned((CheckpointOptions) arguments[4]);
        }
        try {
            return method.invoke(flinks, passed);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private static CheckpointOptions aligned(CheckpointOptions options) {
        return options.isUnalignedCheckpoint() || options.isTimeoutable()
                ? CheckpointOptions.alignedNoTimeout(
                        options.getCheckpointType(), options.getTargetLocation())
                : options;
    }
}
