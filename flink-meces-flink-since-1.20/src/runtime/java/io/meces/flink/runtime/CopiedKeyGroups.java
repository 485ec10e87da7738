// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import java.util.Optional;
import org.apache.flink.runtime.state.KeyGroupsStateHandle;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;

/**
 * A local copy of a file with key-groups, which knows of which one. It is the same byte by byte, so
 * what is named by that file and offsets can be read from the copy. Immutable.
 */
final class CopiedKeyGroups extends KeyGroupsStateHandle {
    private static final long serialVersionUID = 1L;

    private final String original;

    private CopiedKeyGroups(KeyGroupsStateHandle copy, String original) {
        super(copy.getGroupRangeOffsets(), copy.getDelegateStateHandle());
        this.original = original;
    }

    /**
     * @param stored what the copy is one of
     * @return the copy as it was, if that is not in a file: it comes with the deployment then
     */
    static KeyedStateHandle of(KeyedStateHandle stored, KeyedStateHandle copy) {
        if (!(stored instanceof KeyGroupsStateHandle) || !(copy instanceof KeyGroupsStateHandle)) {
            return copy;
        }
        KeyGroupsStateHandle ofFile = (KeyGroupsStateHandle) stored;
        KeyGroupsStateHandle ofCopy = (KeyGroupsStateHandle) copy;
        Optional<String> file = file(ofFile);
        return file.isPresent()
                        && ofFile.getGroupRangeOffsets().equals(ofCopy.getGroupRangeOffsets())
                ? new CopiedKeyGroups(ofCopy, file.get())
                : copy;
    }

    /** Some key-groups of a file, read from the copy; empty if it is not one of that file. */
    Optional<KeyedStateHandle> instead(KeyedStateHandle of) {
        return of instanceof KeyGroupsStateHandle
                        && file((KeyGroupsStateHandle) of).filter(original::equals).isPresent()
                ? Optional.of(
                        new KeyGroupsStateHandle(
                                ((KeyGroupsStateHandle) of).getGroupRangeOffsets(),
                                getDelegateStateHandle()))
                : Optional.empty();
    }

    /** The name of the file, which no other one has; slices of what is in memory share names. */
    private static Optional<String> file(KeyGroupsStateHandle handle) {
        StreamStateHandle file = handle.getDelegateStateHandle();
        return file instanceof FileStateHandle
                ? Optional.of(file.getStreamStateHandleID().getKeyString())
                : Optional.empty();
    }
}
