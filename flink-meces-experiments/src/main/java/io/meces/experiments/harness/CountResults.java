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

package io.meces.experiments.harness;

import io.meces.examples.keycount.CountResult;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** What the key-count job has written: verified and measured. */
public class CountResults implements ResultReader.Results {
    private final ExactnessVerifier verifier;
    private final Samples samples = new Samples();

    /**
     * No results yet.
     *
     * @param keys how many there are
     */
    public CountResults(int keys) {
        this.verifier = new ExactnessVerifier(keys);
    }

    @Override
    public final void accept(ConsumerRecord<byte[], byte[]> record) {
        CountResult result = CountResult.fromBytes(record.value());
        boolean duplicate = verifier.accept(result);
        samples.add(result.intendedMicros, record.timestamp());
        measured(result, record.timestamp(), duplicate);
    }

    /** A result was measured; for those who want to know more of it. */
    protected void measured(CountResult result, long appendMillis, boolean duplicate) {}

    @Override
    public final long distinct() {
        return verifier.distinct();
    }

    /** What has been read. For when the reader has finished. */
    public final ExactnessVerifier verifier() {
        return verifier;
    }

    /** When it was there. For when the reader has finished. */
    public final Samples samples() {
        return samples;
    }
}
