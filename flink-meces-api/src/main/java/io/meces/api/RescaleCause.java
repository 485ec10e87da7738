// SPDX-License-Identifier: Apache-2.0
package io.meces.api;

/** Why a rescale was begun. One that goes on after a failure keeps its cause. */
public enum RescaleCause {
    /** Somebody has asked for it. */
    USER,
    /** The resource requirements of the job have changed, as an autoscaler changes them. */
    AUTOSCALER,
    /** The job runs again after a failure, and is brought back to its requirements. */
    RECOVERY,
    /** Slots have come or gone, so that more or less of the requirements can be met. */
    SLOTS
}
