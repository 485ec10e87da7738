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

package io.meces.runtime.task;

import io.meces.runtime.shuffle.TaskTimes;
import java.util.concurrent.TimeUnit;
import org.apache.flink.metrics.Meter;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.runtime.io.network.api.writer.ResultPartitionWriter;
import org.apache.flink.streaming.runtime.tasks.mailbox.MailboxDefaultAction;

/**
 * Measures how long a task does not process input, and why: nothing has come, or its consumers are
 * behind. Stands between Flink's task and its mailbox. Owned by the task thread, but that any
 * thread may have the task go on.
 */
final class Suspensions implements MailboxDefaultAction.Controller {

    private final TaskTimes times;
    private final ResultPartitionWriter[] outputs;

    /** Flink 1.12 counts any suspension as idle; what was back pressure is taken from it. */
    private final Meter idleOfFlink;

    private volatile long backPressuredNanos;
    private MailboxDefaultAction.Controller flinks;

    Suspensions(Environment environment, TaskTimes times) {
        this.times = times;
        this.outputs = environment.getAllWriters();
        this.idleOfFlink = environment.getMetricGroup().getIOMetricGroup().getIdleTimeMsPerSecond();
    }

    /** That of Flink, measured. To be called each time that Flink has the task process input. */
    MailboxDefaultAction.Controller of(MailboxDefaultAction.Controller controller) {
        flinks = controller;
        return this;
    }

    @Override
    public void allActionsCompleted() {
        flinks.allActionsCompleted();
    }

    @Override
    public MailboxDefaultAction.Suspension suspendDefaultAction() {
        long millis = TimeUnit.NANOSECONDS.toMillis(backPressuredNanos);
        if (millis > 0) {
            backPressuredNanos = 0;
            idleOfFlink.markEvent(-millis);
        }
        MailboxDefaultAction.Suspension suspension = flinks.suspendDefaultAction();
        boolean backPressured = isBackPressured();
        TaskTimes.Timer timer = backPressured ? times.backPressured() : times.idle();
        timer.start();
        return () -> {
            long nanos = timer.stop();
            if (backPressured) {
                backPressuredNanos += nanos;
            }
            suspension.resume();
        };
    }

    private boolean isBackPressured() {
        for (ResultPartitionWriter output : outputs) {
            if (!output.isAvailable()) {
                return true;
            }
        }
        return false;
    }
}
