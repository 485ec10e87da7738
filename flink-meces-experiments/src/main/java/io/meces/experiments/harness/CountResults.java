// SPDX-License-Identifier: Apache-2.0
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
