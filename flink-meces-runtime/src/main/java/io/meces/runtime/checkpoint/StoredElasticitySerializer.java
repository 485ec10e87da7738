// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.checkpoint;

import io.meces.core.job.StoredElasticity;
import io.meces.core.job.StoredElasticityFormat;
import java.io.IOException;
import org.apache.flink.core.io.SimpleVersionedSerializer;

/** {@link StoredElasticityFormat} for Flink. Stateless, for any thread. */
final class StoredElasticitySerializer implements SimpleVersionedSerializer<StoredElasticity> {

    @Override
    public int getVersion() {
        return StoredElasticityFormat.VERSION;
    }

    @Override
    public byte[] serialize(StoredElasticity stored) throws IOException {
        return StoredElasticityFormat.serialize(stored);
    }

    @Override
    public StoredElasticity deserialize(int version, byte[] serialized) throws IOException {
        return StoredElasticityFormat.deserialize(version, serialized);
    }
}
