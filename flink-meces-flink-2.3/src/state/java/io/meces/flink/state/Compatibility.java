// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.state;

import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSchemaCompatibility;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.runtime.state.ttl.TtlAwareSerializer;
import org.apache.flink.runtime.state.ttl.TtlAwareSerializerSnapshotWrapper;

/** Whether a serializer can take what another one has written. Pure. */
@SuppressWarnings({"rawtypes", "unchecked"})
public final class Compatibility {

    private Compatibility() {}

    /** With what another one has written, whose snapshot this is. */
    public static TypeSerializerSchemaCompatibility of(
            TypeSerializerSnapshot before, TypeSerializer after) {
        return of(before, after.snapshotConfiguration());
    }

    /** With what another one has written, of which there are only the snapshots. */
    public static TypeSerializerSchemaCompatibility of(
            TypeSerializerSnapshot before, TypeSerializerSnapshot after) {
        return after.resolveSchemaCompatibility(before);
    }

    /**
     * The same as Flink asks it for a state that has been restored: one with a time to live can
     * take what one without has written, and the other way round, once all has been written anew.
     */
    public static TypeSerializerSchemaCompatibility ofRestored(
            TypeSerializerSnapshot before, TypeSerializer after) {
        return of(
                new TtlAwareSerializerSnapshotWrapper(before).getTtlAwareSerializerSnapshot(),
                TtlAwareSerializer.wrapTtlAwareSerializer(after));
    }
}
