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

import io.meces.core.migration.TaskThread;

/**
 * Does something when it is processed: lets the watermarks of a receiver rise. It takes its place
 * behind the records that waited for their units: a watermark that came after them must not
 * overtake them.
 */
final class InputAction implements InputElement {

    private final TaskThread.Mail action;

    InputAction(TaskThread.Mail action) {
        this.action = action;
    }

    @Override
    public int channel() {
        return -1;
    }

    @Override
    public int unit() {
        return -1;
    }

    @Override
    public boolean isForAllKeys() {
        return false;
    }

    @Override
    public void process() throws Exception {
        action.run();
    }
}
