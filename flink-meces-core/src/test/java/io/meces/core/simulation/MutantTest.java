// SPDX-License-Identifier: Apache-2.0
package io.meces.core.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.Collections;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class MutantTest {

    @BeforeAll
    static void needsACompiler() {
        assumeTrue(
                ToolProvider.getSystemJavaCompiler() != null,
                "This Java has no compiler, as that of a JRE");
    }

    private static Class<?> mutated(String fragment, String by) throws Exception {
        return new Mutant(Collections.singletonList(new Mutant.Replacement(fragment, by)))
                .loadClass("io.meces.core.simulation.Wire");
    }

    @ParameterizedTest
    @EnumSource
    void hasTheFragmentsOfEachVariant(Variant variant) {
        assertThatCode(variant::sources).doesNotThrowAnyException();
    }

    @Test
    void replacesAFragmentWhateverItsSpaces() throws Exception {
        Class<?> mutated = mutated("SLOWNESS = { 1,4,\n 8", "SLOWNESS = {77, 4, 8");
        assertThat(mutated).isNotEqualTo(Wire.class);
        java.lang.reflect.Field slowness = mutated.getDeclaredField("SLOWNESS");
        slowness.setAccessible(true);
        assertThat((int[]) slowness.get(null)).startsWith(77, 4);
    }

    @Test
    void refusesAFragmentThatIsNotThere() {
        assertThatThrownBy(() -> mutated("SLOWNESS = {2", ""))
                .hasMessageContaining("No source has");
    }

    @Test
    void refusesAFragmentThatIsThereTwice() {
        assertThatThrownBy(() -> mutated("SLOWNESS", "")).hasMessageContaining("more than one");
    }

    @Test
    void refusesAFragmentOfSeveralSources() {
        assertThatThrownBy(() -> mutated("import java.util.List;", ""))
                .hasMessageContaining("Several sources have");
    }

    @Test
    void saysWhyAMutantDoesNotCompile() {
        assertThatThrownBy(() -> mutated("long lastArrival;", "long lastArrival = nobody;"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("nobody");
    }
}
