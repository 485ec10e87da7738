// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.state;

import org.apache.flink.runtime.state.IterableStateSnapshot;

/** What a table of states gives Flink for a checkpoint. */
public interface TableSnapshot<K, N, S> extends IterableStateSnapshot<K, N, S> {}
