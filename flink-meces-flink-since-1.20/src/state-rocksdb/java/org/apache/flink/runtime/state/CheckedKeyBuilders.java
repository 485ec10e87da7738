// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.runtime.state;

import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.memory.DataOutputSerializer;

/**
 * Bridge to Flink's builder of the keys of rows, which can be given where it writes to, but not
 * extended. Has no state.
 */
public final class CheckedKeyBuilders {

    private static final int INITIAL_SIZE = 32;

    private CheckedKeyBuilders() {}

    /**
     * One that composes keys only if the current key is here.
     *
     * @param keyGroupPrefixBytes 1 or 2
     * @param access asked before each key; throws if the current key is not here
     */
    public static <K> SerializedCompositeKeyBuilder<K> of(
            TypeSerializer<K> serializer, int keyGroupPrefixBytes, Runnable access) {
        return new SerializedCompositeKeyBuilder<>(
                serializer,
                new CheckedOutput(access),
                keyGroupPrefixBytes,
                CompositeKeySerializationUtils.isSerializerTypeVariableSized(serializer),
                0);
    }

    /** Goes back to behind the current key for each key of a row. Owned by the task thread. */
    private static final class CheckedOutput extends DataOutputSerializer {

        private final Runnable access;

        private CheckedOutput(Runnable access) {
            super(INITIAL_SIZE);
            this.access = access;
        }

        @Override
        public void setPosition(int position) {
            access.run();
            super.setPosition(position);
        }
    }
}
