/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
 * in compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License
 * is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
 * or implied. See the License for the specific language governing permissions and limitations under
 * the License.
 */

package io.meces.runtime.checkpoint;

import io.meces.core.rescale.StoredElasticity;
import io.meces.core.rescale.StoredElasticityFormat;
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
