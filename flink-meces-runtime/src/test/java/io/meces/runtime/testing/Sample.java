// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.testing;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Cells of a matrix for a quick build: as many as the system property {@code sample.size} says, all
 * if it is 0 or not set. Which ones, {@code sample.seed} says, by default the time; it is logged.
 */
public final class Sample {
    private static final Logger LOG = LoggerFactory.getLogger(Sample.class);

    private final int size;
    private final long seed = Long.getLong("sample.seed", System.nanoTime());

    public Sample(Class<?> test) {
        this(test, 0);
    }

    /**
     * @param most not more than so many cells in a full build, either; 0: all
     */
    public Sample(Class<?> test, int most) {
        int wanted = Integer.getInteger("sample.size", 0);
        size = wanted == 0 ? most : wanted;
        if (size > 0) {
            LOG.warn("{}: {} of each matrix, -Dsample.seed={}", test.getSimpleName(), size, seed);
        }
    }

    /** Some of the cells, or all. */
    public <T> Stream<T> of(List<T> cells) {
        if (size == 0 || size >= cells.size()) {
            return cells.stream();
        }
        List<T> shuffled = new ArrayList<>(cells);
        Collections.shuffle(shuffled, new Random(seed));
        return shuffled.stream().limit(size);
    }
}
