// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.state;

import java.util.Iterator;
import org.apache.flink.runtime.state.StateEntry;
import org.apache.flink.runtime.state.StateSnapshot;

/** What a table of states gives Flink for a checkpoint. */
public interface TableSnapshot<K, N, S> extends StateSnapshot {

    /** The entries of a key-group. Later lines write canonical savepoints with them. */
    Iterator<StateEntry<K, N, S>> getIterator(int keyGroup);
}
