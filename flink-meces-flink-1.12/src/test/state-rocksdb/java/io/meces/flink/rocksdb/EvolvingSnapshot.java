// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.rocksdb;

import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSchemaCompatibility;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;

/**
 * The snapshot of a serializer of tests, which says what others can do with what it has written.
 */
public abstract class EvolvingSnapshot<T> implements TypeSerializerSnapshot<T> {

    protected abstract TypeSerializerSchemaCompatibility<T> with(TypeSerializer<T> newSerializer);

    @Override
    public final TypeSerializerSchemaCompatibility<T> resolveSchemaCompatibility(
            TypeSerializer<T> newSerializer) {
        return with(newSerializer);
    }
}
