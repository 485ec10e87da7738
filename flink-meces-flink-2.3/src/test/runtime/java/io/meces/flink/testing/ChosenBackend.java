// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.testing;

import org.apache.flink.runtime.state.CheckpointStorage;
import org.apache.flink.runtime.state.StateBackend;

/**
 * What tests choose for state and for checkpoints in one, as it was before 2.0. A job gets both
 * apart.
 */
public interface ChosenBackend {

    StateBackend ofStates();

    CheckpointStorage ofCheckpoints();
}
