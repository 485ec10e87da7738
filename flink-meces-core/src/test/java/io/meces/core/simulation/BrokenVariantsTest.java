// SPDX-License-Identifier: Apache-2.0
package io.meces.core.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongFunction;
import java.util.stream.Collectors;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The simulation can fail: it notices each way to break the protocol or its drive. Each variant has
 * classes of its own, so they run side by side.
 */
@Tag("full")
@Execution(ExecutionMode.CONCURRENT)
class BrokenVariantsTest {

    @BeforeAll
    static void needsACompiler() {
        assumeTrue(
                ToolProvider.getSystemJavaCompiler() != null,
                "This Java has no compiler, as that of a JRE");
    }

    /** A broken variant must be caught within this many seeds; all but the rarest need a few. */
    private static final int SEEDS = 200_000;

    private static final int SEEDS_OF_HARMLESS = 300;
    private static final Path REPORT = Paths.get("target", "broken-variants.txt");
    private static final Map<Variant, String> CAUGHT = Collections.synchronizedMap(new TreeMap<>());

    /** All, or as many as the system property {@code variants} says, others each time. */
    static List<Variant> variants() {
        List<Variant> variants = Arrays.asList(Variant.values());
        Collections.shuffle(variants);
        return variants.subList(
                0, Math.min(Integer.getInteger("variants", variants.size()), variants.size()));
    }

    @ParameterizedTest
    @MethodSource("variants")
    void isCaughtIfAndOnlyIfItDoesHarm(Variant variant) throws Exception {
        LongFunction<Throwable> world = variant.world();
        if (variant.isHarmless()) {
            for (long seed = 0; seed < SEEDS_OF_HARMLESS; seed++) {
                assertThat(world.apply(seed)).as("seed %d", seed).isNull();
            }
            return;
        }
        long first = variant.firstSeed();
        for (long seed = first; seed < first + SEEDS; seed++) {
            Throwable failure = world.apply(seed);
            if (failure != null) {
                CAUGHT.put(variant, variant.description() + " | " + (seed + 1) + " | " + failure);
                return;
            }
        }
        fail(variant + " is not caught by " + SEEDS + " seeds");
    }

    /** Writes which variant was caught by how many seeds, and how it failed. */
    @AfterAll
    static void report() throws IOException {
        Files.write(
                REPORT,
                CAUGHT.entrySet().stream()
                        .map(caught -> caught.getKey() + " | " + caught.getValue())
                        .collect(Collectors.toList()));
    }
}
