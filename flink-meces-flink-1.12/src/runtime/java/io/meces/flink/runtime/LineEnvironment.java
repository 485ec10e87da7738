// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import org.apache.flink.runtime.execution.Environment;

/**
 * What only this line of Flink has of an environment, or has with other types. Thread-safe as
 * Flink's own.
 */
public abstract class LineEnvironment implements Environment {

    protected final Environment environment;

    protected LineEnvironment(Environment environment) {
        this.environment = environment;
    }

    @Override
    public void declineCheckpoint(long checkpointId, Throwable cause) {
        environment.declineCheckpoint(checkpointId, cause);
    }
}
