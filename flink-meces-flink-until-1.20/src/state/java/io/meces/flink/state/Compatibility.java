// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.state;

import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSchemaCompatibility;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;

/** Whether a serializer can take what another one has written. Pure. */
@SuppressWarnings({"rawtypes", "unchecked"})
public final class Compatibility {

    private Compatibility() {}

    /** With what another one has written, whose snapshot this is. */
    public static TypeSerializerSchemaCompatibility of(
            TypeSerializerSnapshot before, TypeSerializer after) {
        return before.resolveSchemaCompatibility(after);
    }

    /** With what another one has written, of which there are only the snapshots. */
    public static TypeSerializerSchemaCompatibility of(
            TypeSerializerSnapshot before, TypeSerializerSnapshot after) {
        return before.resolveSchemaCompatibility(after.restoreSerializer());
    }

    /** The same as Flink asks it for a state that has been restored. */
    public static TypeSerializerSchemaCompatibility ofRestored(
            TypeSerializerSnapshot before, TypeSerializer after) {
        return of(before, after);
    }
}
