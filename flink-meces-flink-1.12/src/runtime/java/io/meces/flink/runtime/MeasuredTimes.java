// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

/** Flink measures no more than the idle time of a task, which it takes for any suspension. Pure. */
public final class MeasuredTimes {

    private MeasuredTimes() {}

    /** Whether Flink has metrics of all times of a task, under the names of its autoscaler. */
    public static boolean areFlinks() {
        return false;
    }
}
