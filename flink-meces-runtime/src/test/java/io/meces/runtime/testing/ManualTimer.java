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

package io.meces.runtime.testing;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Runs what is scheduled when the test says so. */
final class ManualTimer extends ScheduledThreadPoolExecutor {

    private final Deque<Runnable> scheduled = new ArrayDeque<>();

    ManualTimer() {
        super(1);
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
        scheduled.add(task);
        return null;
    }

    /** Runs the next task; false if there is none. */
    boolean next() {
        Runnable task = scheduled.poll();
        if (task != null) {
            task.run();
        }
        return task != null;
    }
}
