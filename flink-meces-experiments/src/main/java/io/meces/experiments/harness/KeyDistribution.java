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
