// SPDX-License-Identifier: Apache-2.0
package io.meces.state.rocksdb;

import io.meces.flink.rocksdb.EvolvingSnapshot;
import java.io.IOException;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSchemaCompatibility;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/**
 * A serializer whose format has changed: the second version writes a mark behind each number. As
 * Avro's, one that reads the first version calls itself the second.
 */
final class Evolved extends TypeSerializer<Long> {

    private static final long serialVersionUID = 1L;
    private static final int MARK = 42;

    private final int reads;
    private final int writes;

    private Evolved(int reads, int writes) {
        this.reads = reads;
        this.writes = writes;
    }

    static Evolved ofVersion(int version) {
        return new Evolved(version, version);
    }

    @Override
    public void serialize(Long record, DataOutputView target) throws IOException {
        target.writeLong(record);
        if (writes > 1) {
            target.writeByte(MARK);
        }
    }

    @Override
    public Long deserialize(DataInputView source) throws IOException {
        long record = source.readLong();
        if (reads > 1 && source.readByte() != MARK) {
            throw new IOException("There is no mark behind " + record);
        }
        return record;
    }

    @Override
    public Long deserialize(Long reuse, DataInputView source) throws IOException {
        return deserialize(source);
    }

    @Override
    public void copy(DataInputView source, DataOutputView target) throws IOException {
        serialize(deserialize(source), target);
    }

    @Override
    public boolean isImmutableType() {
        return true;
    }

    @Override
    public TypeSerializer<Long> duplicate() {
        return this;
    }

    @Override
    public Long createInstance() {
        return 0L;
    }

    @Override
    public Long copy(Long from) {
        return from;
    }

    @Override
    public Long copy(Long from, Long reuse) {
        return from;
    }

    @Override
    public int getLength() {
        return -1;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Evolved && ((Evolved) other).writes == writes;
    }

    @Override
    public int hashCode() {
        return writes;
    }

    @Override
    public TypeSerializerSnapshot<Long> snapshotConfiguration() {
        Version snapshot = new Version();
        snapshot.version = writes;
        return snapshot;
    }

    /** What of it is stored. */
    public static final class Version extends EvolvingSnapshot<Long> {

        private int version;

        @Override
        public int getCurrentVersion() {
            return 1;
        }

        @Override
        public void writeSnapshot(DataOutputView out) throws IOException {
            out.writeInt(version);
        }

        @Override
        public void readSnapshot(int readVersion, DataInputView in, ClassLoader userCode)
                throws IOException {
            version = in.readInt();
        }

        @Override
        public TypeSerializer<Long> restoreSerializer() {
            return new Evolved(version, 2);
        }

        @Override
        protected TypeSerializerSchemaCompatibility<Long> with(TypeSerializer<Long> newSerializer) {
            int now = ((Evolved) newSerializer).writes;
            if (now < version) {
                return TypeSerializerSchemaCompatibility.incompatible();
            }
            return now == version
                    ? TypeSerializerSchemaCompatibility.compatibleAsIs()
                    : TypeSerializerSchemaCompatibility.compatibleAfterMigration();
        }
    }
}
