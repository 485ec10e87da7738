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

package io.meces.state;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class CompressionPolicyTest {

    private static final int BYTES = 1_000;

    private final CompressionPolicy auto = CompressionPolicy.of(Compression.AUTO);

    /** The codecs of so many sections that would be compressed to so many bytes. */
    private List<UnitCodec> sections(int count, int to) {
        List<UnitCodec> codecs = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            UnitCodec codec = auto.codec(BYTES);
            codecs.add(codec);
            if (codec != UnitCodec.NONE) {
                auto.compressed(BYTES, to);
            }
        }
        return codecs;
    }

    @Test
    void usesTheCodecThatIsNamed() {
        assertThat(CompressionPolicy.of(Compression.NONE).codec(BYTES)).isEqualTo(UnitCodec.NONE);
        assertThat(CompressionPolicy.of(Compression.LZ4).codec(BYTES)).isEqualTo(UnitCodec.LZ4);
        assertThat(CompressionPolicy.of(Compression.ZSTD).codec(BYTES)).isEqualTo(UnitCodec.ZSTD);
    }

    @Test
    void leavesSmallSectionsAlone() {
        for (Compression compression : Compression.values()) {
            CompressionPolicy policy = CompressionPolicy.of(compression);
            assertThat(policy.codec(CompressionPolicy.MIN_BYTES - 1)).isEqualTo(UnitCodec.NONE);
            assertThat(policy.codec(CompressionPolicy.MIN_BYTES) == UnitCodec.NONE)
                    .isEqualTo(compression == Compression.NONE);
        }
    }

    @Test
    void sendsNothingThatHasGrown() {
        for (Compression compression : Arrays.asList(Compression.LZ4, Compression.ZSTD)) {
            CompressionPolicy policy = CompressionPolicy.of(compression);
            assertThat(policy.compressed(BYTES, BYTES)).isFalse();
            assertThat(policy.compressed(BYTES, BYTES - 1)).isTrue();
        }
    }

    @Test
    void compressesAllWhileItPays() {
        assertThat(sections(1_000, 790)).containsOnly(UnitCodec.LZ4);
    }

    @Test
    void stopsAfterTheFirstSamplesIfItDoesNotPay() {
        assertThat(sections(4, 810)).containsOnly(UnitCodec.LZ4);
        assertThat(sections(63, 810)).containsOnly(UnitCodec.NONE);
    }

    @Test
    void takesASampleNowAndThenWhileItDoesNotPay() {
        sections(4, 900);
        List<UnitCodec> period = new ArrayList<>(Collections.nCopies(63, UnitCodec.NONE));
        period.add(UnitCodec.LZ4);
        for (int i = 0; i < 3; i++) {
            assertThat(sections(64, 900)).isEqualTo(period);
        }
    }

    @Test
    void beginsAgainWhenItPays() {
        sections(4, 1_000);
        assertThat(sections(3 * 64, 200)).contains(UnitCodec.NONE);
        assertThat(sections(100, 200)).containsOnly(UnitCodec.LZ4);
    }

    @Test
    void stopsWhenItDoesNotPayAnyMore() {
        sections(100, 500);
        assertThat(sections(20, 1_000)).contains(UnitCodec.LZ4);
        assertThat(sections(63, 1_000)).contains(UnitCodec.NONE);
    }

    @Test
    void aSingleSectionDoesNotSwitchItOff() {
        sections(100, 500);
        assertThat(sections(1, 1_000)).containsOnly(UnitCodec.LZ4);
        assertThat(sections(100, 500)).containsOnly(UnitCodec.LZ4);
    }

    @Test
    void smallSectionsAreNoSamples() {
        for (int i = 0; i < 1_000; i++) {
            assertThat(auto.codec(10)).isEqualTo(UnitCodec.NONE);
        }
        assertThat(sections(4, 900)).containsOnly(UnitCodec.LZ4);
    }

    @Test
    void sendsOnlySamplesThatPay() {
        assertThat(auto.compressed(BYTES, 810)).isFalse();
        assertThat(auto.compressed(BYTES, 790)).isTrue();
    }
}
