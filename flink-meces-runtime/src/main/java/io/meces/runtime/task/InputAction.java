// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.task;

import io.meces.core.exchange.TaskThread;

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
