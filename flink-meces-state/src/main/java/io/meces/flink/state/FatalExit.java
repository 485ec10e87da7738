// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.state;

import org.apache.flink.runtime.util.FatalExitExceptionHandler;

/** How Flink ends the process, where the line has it. */
public final class FatalExit {

    private FatalExit() {}

    /** Logs what a thread did not catch and ends the process. */
    public static Thread.UncaughtExceptionHandler handler() {
        return FatalExitExceptionHandler.INSTANCE;
    }
}
