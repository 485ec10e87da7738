// SPDX-License-Identifier: Apache-2.0
package io.meces.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.IntFunction;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.streaming.api.windowing.windows.TimeWindow;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SubGroupsTest {

    private static final int KEYS = 200_000;

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 16, 1000, SubGroups.MAX})
    void staysInRange(int subGroups) {
        Random random = new Random(1);
        for (int i = 0; i < 100_000; i++) {
            assertThat(SubGroups.of(random.nextInt(), subGroups)).isBetween(0, subGroups - 1);
        }
        for (int hash : new int[] {0, -1, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
            assertThat(SubGroups.of(hash, subGroups)).isBetween(0, subGroups - 1);
        }
    }

    @Test
    void isTheSameInAllVersions() {
        // Donor and receiver may run different builds: these values must never change.
        assertThat(SubGroups.of("flink", 16)).isEqualTo(SubGroups.of("flink".hashCode(), 16));
        assertThat(SubGroups.of(0, 16)).isZero();
        assertThat(SubGroups.of(1, 16)).isEqualTo(9);
        assertThat(SubGroups.of(42, 16)).isEqualTo(15);
        assertThat(SubGroups.of("flink", 1024)).isEqualTo(688);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 16, 128})
    void isUniformWithinEachKeyGroup(int keyGroups) {
        for (List<Object> keys : keys()) {
            for (int subGroups : new int[] {2, 5, 16}) {
                int[][] counts = new int[keyGroups][subGroups];
                for (Object key : keys) {
                    counts[keyGroup(key, keyGroups)][SubGroups.of(key, subGroups)]++;
                }
                for (int[] keyGroup : counts) {
                    assertThat(chiSquare(keyGroup)).isLessThan(bound(subGroups - 1));
                }
            }
        }
    }

    /** Namespaces: none, strings, and the window that begins with each hour. */
    @Test
    void entriesOfAKeyGroupAreSpreadOverItsBuckets() {
        List<IntFunction<Object>> namespaces =
                Arrays.asList(
                        i -> "", i -> "n" + i % 7, i -> new TimeWindow(i % 24 * 3_600_000L, 1));
        for (List<Object> keys : keys()) {
            for (int subGroups : new int[] {1, 5, 16, 1024}) {
                UnitHash unitHash = new UnitHash(subGroups);
                for (IntFunction<Object> namespace : namespaces) {
                    int[][] counts = new int[7][64];
                    for (int i = 0; i < keys.size(); i++) {
                        Object key = keys.get(i);
                        long place = unitHash.place(key.hashCode());
                        int hash = unitHash.of(place, namespace.apply(i).hashCode());
                        counts[keyGroup(key, counts.length)][hash >>> 26]++;
                        long code = hash & 0xFFFFFFFFL;
                        int subGroup = SubGroups.of(key, subGroups);
                        assertThat(code >= unitHash.from(subGroup) && code < unitHash.to(subGroup))
                                .isTrue();
                    }
                    for (int[] keyGroup : counts) {
                        assertThat(chiSquare(keyGroup)).isLessThan(bound(63));
                    }
                }
            }
        }
    }

    @Test
    void namespacesOfAKeyAreSpreadOverTheBucketsOfItsSubGroup() {
        UnitHash unitHash = new UnitHash(16);
        for (IntFunction<Object> namespace :
                Arrays.<IntFunction<Object>>asList(
                        i -> i, i -> "n" + i, i -> new TimeWindow(i * 1_000L, (i + 60) * 1_000L))) {
            long place = unitHash.place("key".hashCode());
            int subGroup = (int) (place >>> 32);
            int[] counts = new int[64];
            for (int i = 0; i < 64_000; i++) {
                long code = unitHash.of(place, namespace.apply(i).hashCode()) & 0xFFFFFFFFL;
                counts[(int) ((code - unitHash.from(subGroup)) * 16 >>> 26)]++;
            }
            // Evenly, or even more evenly than by chance.
            for (int count : counts) {
                assertThat(count).isBetween(800, 1200);
            }
        }
    }

    @Test
    void allUnitsAreEquallyLarge() {
        int keyGroups = 128;
        int subGroups = 16;
        int[] counts = new int[keyGroups * subGroups];
        for (int key = 0; key < 2_000_000; key++) {
            counts[keyGroup(key, keyGroups) * subGroups + SubGroups.of(key, subGroups)]++;
        }
        double mean = 2_000_000.0 / counts.length;
        for (int count : counts) {
            assertThat((double) count).isCloseTo(mean, within(6 * Math.sqrt(mean)));
        }
    }

    /** Keys as they occur: counting up, strided, text, random. */
    private static List<List<Object>> keys() {
        Random random = new Random(42);
        List<List<Object>> all = new ArrayList<>();
        all.add(make(i -> i));
        all.add(make(i -> i * 64));
        all.add(make(i -> (long) i << 20));
        all.add(make(i -> "user-" + i));
        all.add(make(i -> random.nextLong()));
        return all;
    }

    private static List<Object> make(IntFunction<Object> key) {
        List<Object> keys = new ArrayList<>(KEYS);
        for (int i = 0; i < KEYS; i++) {
            keys.add(key.apply(i));
        }
        return keys;
    }

    private static int keyGroup(Object key, int keyGroups) {
        return KeyGroupRangeAssignment.assignToKeyGroup(key, keyGroups);
    }

    private static double chiSquare(int[] counts) {
        double sum = 0;
        for (int count : counts) {
            sum += count;
        }
        double expected = sum / counts.length;
        double chiSquare = 0;
        for (int count : counts) {
            chiSquare += (count - expected) * (count - expected) / expected;
        }
        return chiSquare;
    }

    /** Exceeded by chance about once in a hundred thousand times. */
    private static double bound(int degreesOfFreedom) {
        double z = 4.5;
        double a = 2.0 / (9 * degreesOfFreedom);
        double root = 1 - a + z * Math.sqrt(a);
        return degreesOfFreedom * root * root * root + 3;
    }
}
