// SPDX-License-Identifier: Apache-2.0
package io.meces.state;

import static io.meces.state.Backends.finish;
import static io.meces.state.Backends.keyGroup;
import static io.meces.state.Backends.meces;
import static io.meces.state.Backends.move;
import static io.meces.state.Backends.startSnapshot;
import static io.meces.state.Backends.stock;
import static io.meces.state.Backends.subGroup;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RunnableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.heap.HeapKeyedStateBackend;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Snapshots that other threads write while the task changes, adds, removes and moves entries. */
class SnapshotWhileWritingTest {

    private static final Logger LOG = LoggerFactory.getLogger(SnapshotWhileWritingTest.class);
    private static final int KEYS = 20_000;
    private static final int ROUNDS = 20;
    private static final ListStateDescriptor<String> LIST =
            new ListStateDescriptor<>("list", StringSerializer.INSTANCE);

    private final long seed = Long.getLong("meces.test.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final ExecutorService writers = Executors.newFixedThreadPool(2);
    private final Map<String, List<String>> model = new HashMap<>();

    @AfterEach
    void stopWriters() throws InterruptedException {
        writers.shutdownNow();
        assertThat(writers.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    @DisplayName("Each has what there was when it began, however many are written at once")
    void areThoseOfTheirTime() throws Exception {
        LOG.info("Seed: -Dmeces.test.seed={}", seed);
        MecesKeyedStateBackend<String> backend = meces();
        MecesKeyedStateBackend<String> other = meces();
        for (int i = 0; i < KEYS / 2; i++) {
            change(backend, other);
        }
        long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
        int changes = 0;
        for (int round = 0; round < ROUNDS; round++) {
            Map<String, List<String>> first = copyOfModel();
            Future<KeyedStateHandle> firstHandle = writers.submit(write(backend));
            for (int i = random.nextInt(2_000); i > 0; i--) {
                change(backend, other);
            }
            Map<String, List<String>> second = copyOfModel();
            Future<KeyedStateHandle> secondHandle = writers.submit(write(backend));
            while (!firstHandle.isDone() || !secondHandle.isDone()) {
                assertThat(System.nanoTime()).as("written in time").isLessThan(deadline);
                change(backend, other);
                changes++;
            }
            assertThat(contents(firstHandle.get())).as("seed %d", seed).isEqualTo(first);
            assertThat(contents(secondHandle.get())).as("seed %d", seed).isEqualTo(second);
        }
        assertThat(changes).as("changes while snapshots were written").isGreaterThan(ROUNDS);
        assertThat(contents(finish(startSnapshot(backend)))).as("seed %d", seed).isEqualTo(model);
    }

    private static Callable<KeyedStateHandle> write(MecesKeyedStateBackend<String> backend)
            throws Exception {
        RunnableFuture<SnapshotResult<KeyedStateHandle>> snapshot = startSnapshot(backend);
        return () -> finish(snapshot);
    }

    private void change(
            MecesKeyedStateBackend<String> backend, MecesKeyedStateBackend<String> other)
            throws Exception {
        String key = "k" + random.nextInt(KEYS);
        String value = "v" + random.nextInt(1000);
        int action = random.nextInt(1000);
        if (action < 5) {
            if (!backend.units().isEmpty(keyGroup(key), subGroup(key))) {
                move(backend.units(), other.units(), key);
                move(other.units(), backend.units(), key);
            }
        } else if (action < 300) {
            list(backend, key).clear();
            model.remove(key);
        } else {
            list(backend, key).add(value);
            model.computeIfAbsent(key, k -> new ArrayList<>()).add(value);
        }
    }

    private Map<String, List<String>> copyOfModel() {
        Map<String, List<String>> copy = new HashMap<>();
        model.forEach((key, values) -> copy.put(key, new ArrayList<>(values)));
        return copy;
    }

    private static Map<String, List<String>> contents(KeyedStateHandle handle) throws Exception {
        HeapKeyedStateBackend<String> restored = stock(Backends.ALL, handle);
        list(restored, "k");
        Map<String, List<String>> contents = new HashMap<>();
        for (String key : restored.<String>getKeys("list", "n").collect(Collectors.toList())) {
            List<String> values = new ArrayList<>();
            list(restored, key).get().forEach(values::add);
            assertThat(contents.put(key, values)).as("key twice").isNull();
        }
        return contents;
    }

    private static ListState<String> list(HeapKeyedStateBackend<String> backend, String key)
            throws Exception {
        return Backends.state(backend, key, "n", StringSerializer.INSTANCE, LIST);
    }
}
