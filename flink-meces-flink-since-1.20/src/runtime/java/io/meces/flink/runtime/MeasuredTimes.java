// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

/** Flink measures how busy a task is, how idle and how back pressured. Pure. */
public final class MeasuredTimes {

    private MeasuredTimes() {}

    /** Whether Flink has metrics of all times of a task, under the names of its autoscaler. */
    public static boolean areFlinks() {
        return true;
    }
}
