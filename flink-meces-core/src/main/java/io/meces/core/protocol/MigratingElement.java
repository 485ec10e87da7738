// SPDX-License-Identifier: Apache-2.0
package io.meces.core.protocol;

/** What the inputs of a task put in order while a rescale runs. */
public interface MigratingElement {

    /** The channel it came on, numbered through all gates of the task; -1 for none. */
    int channel();

    /** The unit of a record; -1 for all else. */
    int unit();

    /** Whether it is a record of a broadcast input, which concerns all keys. */
    boolean isForAllKeys();
}
