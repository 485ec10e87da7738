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

package io.meces.runtime.migration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.fail;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The simulation can fail: it notices each way to break the protocol. */
class BrokenVariantsTest {

    private static final Logger LOG = LoggerFactory.getLogger(BrokenVariantsTest.class);

    /**
     * A broken variant must be caught within this many seeds; all but the rarest are by the first
     * few.
     */
    private static final int SEEDS = 20_000;

    private static final int SEEDS_OF_HARMLESS = 300;

    @ParameterizedTest
    @EnumSource
    void isCaughtIfAndOnlyIfItDoesHarm(Variant variant) {
        if (variant.isHarmless()) {
            for (long seed = 0; seed < SEEDS_OF_HARMLESS; seed++) {
                assertThat(Seeds.failureOf(seed, variant)).as("seed %d", seed).isNull();
            }
            return;
        }
        for (long seed = 0; seed < SEEDS; seed++) {
            Throwable failure = Seeds.failureOf(seed, variant);
            if (failure != null) {
                LOG.info("{}: caught by seed {}: {}", variant, seed, failure.toString());
                return;
            }
        }
        fail(variant + " is not caught by " + SEEDS + " seeds");
    }
}
