// SPDX-License-Identifier: Apache-2.0
package io.meces.core.checkpoint;

/** What becomes of a checkpoint that is on its way when a rescale wants to move state. */
public enum RunningCheckpoint {
    /** It is awaited as long as it moves, and aborted if it stands behind a backlog. */
    AUTO,
    /** It is awaited. */
    WAIT,
    /** It is aborted. */
    ABORT
}
