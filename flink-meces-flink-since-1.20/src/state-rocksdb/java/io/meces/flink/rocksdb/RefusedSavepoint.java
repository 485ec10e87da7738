// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.rocksdb;

import java.util.List;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.runtime.state.FullSnapshotResources;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyValueStateIterator;
import org.apache.flink.runtime.state.StreamCompressionDecorator;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot;

/**
 * What cannot be written as a savepoint now. That is said when it is to be written, by any thread:
 * a failure before that would end the task. Immutable.
 */
public final class RefusedSavepoint<K> implements FullSnapshotResources<K> {

    private final FullSnapshotResources<K> flinks;
    private final String refusal;

    /**
     * @param flinks released with this one
     */
    public RefusedSavepoint(FullSnapshotResources<K> flinks, String refusal) {
        this.flinks = flinks;
        this.refusal = refusal;
    }

    @Override
    public KeyValueStateIterator createKVStateIterator() {
        throw new IllegalStateException(refusal);
    }

    @Override
    public List<StateMetaInfoSnapshot> getMetaInfoSnapshots() {
        return flinks.getMetaInfoSnapshots();
    }

    @Override
    public KeyGroupRange getKeyGroupRange() {
        return flinks.getKeyGroupRange();
    }

    @Override
    public TypeSerializer<K> getKeySerializer() {
        return flinks.getKeySerializer();
    }

    @Override
    public StreamCompressionDecorator getStreamCompressionDecorator() {
        return flinks.getStreamCompressionDecorator();
    }

    @Override
    public void release() {
        flinks.release();
    }
}
