// SPDX-License-Identifier: Apache-2.0
package io.meces.core.exchange;

/** The thread of a task, which does one thing after the other. */
public interface TaskThread {

    /** Something to be done. */
    @FunctionalInterface
    interface Mail {
        void run() throws Exception;
    }

    /** The time of a clock that does not go back, in ns. Any thread. */
    long nanoTime();

    /** Has something done soon, between two elements of the input. Any thread. */
    void execute(Mail mail, String description);

    /** Has something done later, between two elements of the input. Any thread. */
    void executeAfter(long nanos, Mail mail, String description);
}
