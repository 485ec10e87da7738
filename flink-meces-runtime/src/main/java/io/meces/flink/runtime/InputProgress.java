// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

/** How reading an input goes on. */
public enum InputProgress {
    MORE_AVAILABLE,
    NOTHING_AVAILABLE,

    /** The job stops without that its data has ended; what produces is about to finish. */
    STOPPED,

    /** Nothing comes any more but events; what produces is about to finish. */
    END_OF_DATA,

    /** All that produces has finished. */
    END_OF_INPUT
}
