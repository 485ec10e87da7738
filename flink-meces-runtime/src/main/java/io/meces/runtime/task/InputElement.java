// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.task;

import io.meces.core.protocol.MigratingElement;

/** What the inputs of a task put in order while a rescale runs. Owned by the task thread. */
interface InputElement extends MigratingElement {

    /** Hands it to the operator. */
    void process() throws Exception;
}
