// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.warmup;

import static org.assertj.core.api.Assertions.assertThatCode;

import io.meces.state.Compression;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class PracticeMigrationTest {

    @ParameterizedTest
    @EnumSource(Compression.class)
    void goesThroughTheProtocolWithoutViolation(Compression compression) {
        assertThatCode(() -> PracticeMigration.run(compression)).doesNotThrowAnyException();
    }
}
