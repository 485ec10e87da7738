// SPDX-License-Identifier: Apache-2.0
package io.meces.core.protocol;

import io.meces.core.exchange.TaskThread;
import io.meces.core.store.DeferredData;
import io.meces.core.store.DeferredKey;
import io.meces.core.store.FetchedKeys;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.List;
import java.util.NavigableSet;
import java.util.function.Consumer;

/** Data that nobody gives and nobody takes, without timers; a test says what it needs. */
class UnusedData implements DeferredData {

    @Override
    public void fetch(int keyGroup, DeferredKey key, Consumer<byte[]> whenRead) {
        throw new AssertionError("nothing is given");
    }

    @Override
    public Stream stream(int keyGroup, long chunkBytes, Runnable whenMore) {
        throw new AssertionError("nothing is given");
    }

    @Override
    public void drop(int keyGroup, TaskThread.Mail whenDropped) {
        throw new AssertionError("nothing is given");
    }

    @Override
    public void installKey(int keyGroup, DeferredKey key, ByteBuffer data) {
        throw new AssertionError("nothing comes");
    }

    @Override
    public long gatheredBytes() {
        return 0;
    }

    @Override
    public void installChunks(
            int keyGroup,
            List<ByteBuffer> chunks,
            FetchedKeys fetched,
            TaskThread.Mail whenInstalled) {
        throw new AssertionError("nothing comes");
    }

    @Override
    public void complete(
            int keyGroup, NavigableSet<DeferredKey> fetched, TaskThread.Mail whenComplete)
            throws Exception {
        throw new AssertionError("nothing comes");
    }

    @Override
    public void settle(TaskThread.Mail whenSettled) throws Exception {
        whenSettled.run();
    }

    @Override
    public void settleAhead() throws Exception {
        throw new AssertionError("nothing is likely");
    }

    @Override
    public boolean hasRoom() {
        return true;
    }

    @Override
    public List<Sleeper> dueAt(long watermark, int limit) {
        return Collections.emptyList();
    }

    @Override
    public List<Sleeper> dueNow(int limit) {
        return Collections.emptyList();
    }

    @Override
    public void close() {
        // nothing runs
    }
}
