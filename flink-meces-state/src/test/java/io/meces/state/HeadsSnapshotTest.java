// SPDX-License-Identifier: Apache-2.0
package io.meces.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class HeadsSnapshotTest {

    private static final int LENGTH = 4 * HeadsSnapshot.BLOCK;
    private static final int ROUNDS = 20_000;

    private final Named[] table = table();

    @Test
    @DisplayName("What is changed before it is read is as it was when the snapshot began")
    void keepsWhatIsChanged() {
        HeadsSnapshot<Named> snapshot = new HeadsSnapshot<>(table, 0, LENGTH, null);
        for (int index : new int[] {0, 5, HeadsSnapshot.BLOCK, LENGTH - 1, 5}) {
            change(snapshot, index);
        }
        assertThat(read(snapshot)).isEqualTo(names(0, LENGTH));
    }

    @Test
    @DisplayName("What has been read may be changed")
    void doesNotKeepWhatHasBeenRead() {
        HeadsSnapshot<Named> snapshot = new HeadsSnapshot<>(table, 0, LENGTH, null);
        Named[] block = new Named[HeadsSnapshot.BLOCK];
        snapshot.read(0, block);
        change(snapshot, 0);
        change(snapshot, 1);
        assertThat(block[1].name).isEqualTo("1");
        assertThat(table[1].name).isEqualTo("1 changed");
    }

    @Test
    @DisplayName("Of an array that is divided it has its range only, whatever the blocks are")
    void hasItsRange() {
        int from = 16;
        int to = LENGTH - 16;
        HeadsSnapshot<Named> snapshot = new HeadsSnapshot<>(table, from, to, null);
        change(snapshot, 15);
        change(snapshot, 16);
        change(snapshot, LENGTH - 17);
        change(snapshot, LENGTH - 16);
        assertThat(read(snapshot)).isEqualTo(names(from, to));
    }

    @Test
    @DisplayName("It does not care for another array of the same buckets")
    void ignoresOtherArrays() {
        HeadsSnapshot<Named> snapshot = new HeadsSnapshot<>(table, 0, LENGTH, null);
        snapshot.beforeChange(table(), 3);
        change(snapshot, 3);
        assertThat(read(snapshot)).isEqualTo(names(0, LENGTH));
    }

    @Test
    @DisplayName("Those that are released are left out, wherever they are")
    void releasedOnesAreLeftOut() {
        List<HeadsSnapshot<Named>> all = new ArrayList<>();
        HeadsSnapshot<Named> newest = null;
        for (int i = 0; i < 5; i++) {
            newest = new HeadsSnapshot<>(table, 0, LENGTH, newest);
            all.add(newest);
        }
        all.get(0).release();
        all.get(2).release();
        assertThat(running(newest)).containsExactly(all.get(4), all.get(3), all.get(1));
        all.get(4).release();
        all.get(3).release();
        assertThat(running(newest)).containsExactly(all.get(1));
        all.get(1).release();
        assertThat(HeadsSnapshot.running(newest)).isNull();
    }

    @Test
    @DisplayName("One that is released cannot be read, and does not copy anything any more")
    void releasedIsNotRead() {
        HeadsSnapshot<Named> snapshot = new HeadsSnapshot<>(table, 0, LENGTH, null);
        snapshot.release();
        change(snapshot, 7);
        assertThatThrownBy(() -> snapshot.read(0, new Named[HeadsSnapshot.BLOCK]))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("released");
    }

    @Test
    @DisplayName("It is the same for one who reads while all is being changed")
    void isReadWhileAllIsChanged() throws Exception {
        AtomicInteger began = new AtomicInteger();
        AtomicReference<HeadsSnapshot<Named>> begun = new AtomicReference<>();
        ExecutorService writer = Executors.newSingleThreadExecutor();
        try {
            for (int round = 1; round <= ROUNDS; round++) {
                List<String> expected =
                        Arrays.stream(table).map(named -> named.name).collect(Collectors.toList());
                begun.set(new HeadsSnapshot<>(table, 0, LENGTH, null));
                int awaited = 2 * round;
                Future<List<String>> read =
                        writer.submit(
                                () -> {
                                    meet(began, awaited);
                                    return read(begun.get());
                                });
                meet(began, awaited);
                for (int index = 0; index < LENGTH; index++) {
                    begun.get().beforeChange(table, index);
                    table[index] = new Named(round + " at " + index);
                }
                assertThat(read.get(30, TimeUnit.SECONDS)).isEqualTo(expected);
            }
        } finally {
            writer.shutdownNow();
        }
    }

    private static void meet(AtomicInteger arrived, int awaited) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        arrived.incrementAndGet();
        while (arrived.get() < awaited) {
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException("The other thread did not come");
            }
        }
    }

    private void change(HeadsSnapshot<Named> snapshot, int index) {
        snapshot.beforeChange(table, index);
        table[index] = new Named(index + " changed");
    }

    private static List<String> read(HeadsSnapshot<Named> snapshot) {
        List<String> names = new ArrayList<>();
        Named[] block = new Named[HeadsSnapshot.BLOCK];
        for (int i = snapshot.firstBlock(); i < snapshot.endBlock(); i++) {
            snapshot.read(i, block);
            Arrays.stream(block)
                    .filter(named -> named != null)
                    .forEach(named -> names.add(named.name));
        }
        return names;
    }

    private static List<HeadsSnapshot<Named>> running(HeadsSnapshot<Named> newest) {
        List<HeadsSnapshot<Named>> running = new ArrayList<>();
        for (HeadsSnapshot<Named> s = HeadsSnapshot.running(newest); s != null; s = s.older()) {
            running.add(s);
        }
        return running;
    }

    private static Named[] table() {
        Named[] table = new Named[LENGTH];
        for (int i = 0; i < LENGTH; i++) {
            table[i] = new Named(String.valueOf(i));
        }
        return table;
    }

    private static List<String> names(int from, int to) {
        return IntStream.range(from, to).mapToObj(String::valueOf).collect(Collectors.toList());
    }

    private static final class Named extends Buckets.Node<Named> {
        private final String name;

        private Named(String name) {
            super(0);
            this.name = name;
        }
    }
}
