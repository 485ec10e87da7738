// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.traffic;

import java.util.Locale;
import java.util.function.LongSupplier;
import org.apache.commons.rng.UniformRandomProvider;
import org.apache.commons.rng.sampling.distribution.DiscreteSampler;
import org.apache.commons.rng.sampling.distribution.RejectionInversionZipfSampler;
import org.apache.commons.rng.simple.RandomSource;

/** How often which key occurs. */
public enum KeyDistribution {
    /** Each key as often as any other. */
    UNIFORM {
        @Override
        public LongSupplier sampler(int keys, long seed) {
            UniformRandomProvider random = RandomSource.XO_SHI_RO_256_SS.create(seed);
            return () -> random.nextInt(keys);
        }
    },

    /** Key n as often as 1 / (n + 1): a few keys get most of the records. */
    ZIPF {
        @Override
        public LongSupplier sampler(int keys, long seed) {
            DiscreteSampler rank =
                    RejectionInversionZipfSampler.of(
                            RandomSource.XO_SHI_RO_256_SS.create(seed), keys, 1.0);
            return () -> rank.sample() - 1;
        }
    };

    /** Draws keys from 0 to {@code keys} - 1; the same ones for the same seed. Not thread-safe. */
    public abstract LongSupplier sampler(int keys, long seed);

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
