// SPDX-License-Identifier: Apache-2.0
package io.meces.state.rocksdb;

import java.util.Collection;
import org.apache.flink.runtime.state.IncrementalKeyedStateHandle;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyedStateHandle;

/** What is known of handles before they are restored. */
final class RestoredHandles {

    private RestoredHandles() {}

    /**
     * Whether a database can come with key-groups that were not asked for. A full snapshot is read
     * by key-group; of an incremental one all is taken that is within the range of the backend. One
     * that claims all key-groups is that of a subtask of ours, and dealt whole to the one subtask
     * that has all of it.
     */
    static boolean mayHoldMoreThan(KeyGroupRange all, Collection<KeyedStateHandle> handles) {
        return handles.stream()
                .anyMatch(
                        handle ->
                                handle instanceof IncrementalKeyedStateHandle
                                        && !handle.getKeyGroupRange().equals(all));
    }
}
