// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.task;

import io.meces.flink.runtime.MeasuredController;
import io.meces.runtime.shuffle.TaskTimes;
import java.util.function.LongSupplier;
import org.apache.flink.runtime.execution.Environment;

/**
 * Measures how long a task does not process input, and why: nothing has come, or its consumers are
 * behind. Owned by the task thread, but that any thread may have the task go on.
 */
final class Suspensions extends MeasuredController {

    private final TaskTimes times;

    Suspensions(Environment environment, TaskTimes times) {
        super(environment);
        this.times = times;
    }

    @Override
    protected LongSupplier suspended(boolean backPressured) {
        TaskTimes.Timer timer = backPressured ? times.backPressured() : times.idle();
        timer.start();
        return timer::stop;
    }
}
