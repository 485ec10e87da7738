// SPDX-License-Identifier: Apache-2.0
package io.meces.core.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.core.command.StepMoves;
import io.meces.core.exchange.FlowControl;
import io.meces.core.exchange.PeerExchange;
import io.meces.core.exchange.PeerMessage;
import io.meces.core.exchange.TaskThread;
import io.meces.core.store.DeferredKey;
import io.meces.core.store.FetchedKeys;
import io.meces.core.store.KeyCodec;
import io.meces.core.waiting.ReadAheadMemory;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.NavigableSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * When chunks are put in. Subtask 1 takes key-groups 0 and 1, each of which is one unit, from
 * subtask 0; both units are here. A key is a byte, and a chunk has some.
 */
class DeferredInstallerTest {

    private static final int DONOR = 0;
    private static final int GATHERED_BYTES = 10;
    private static final int WINDOW_BYTES = 3;

    private final List<String> log = new ArrayList<>();
    private final Data data = new Data();
    private final List<String> paces = new ArrayList<>();
    private final List<Integer> told = new ArrayList<>();
    private int requests;
    private DeferredInstaller installer;
    private long now;

    @BeforeEach
    void begin() throws Exception {
        MigrationSettings settings =
                new MigrationSettings(
                        1,
                        8,
                        1,
                        MigrationOrder.DEMAND,
                        new FlowControl(0, 0, WINDOW_BYTES, WINDOW_BYTES),
                        MigrationSettings.Pace.OF_TASKS,
                        ReadAheadMemory.unlimited().share());
        PeerExchange exchange = ToldMessages.exchange(settings, () -> now, this::sent);
        installer = new DeferredInstaller(settings, data, exchange, () -> now, new Listener());
        begin(1);
        log.clear();
    }

    private void begin(long step) throws Exception {
        installer.startStep(
                new StepMoves(
                        step, new int[] {0, 1}, new int[] {DONOR, DONOR}, new int[] {1, 1}, 0));
        installer.onUnitInstalled(0);
        installer.onUnitInstalled(1);
    }

    private void chunkComes(int keyGroup, String keys) throws Exception {
        installer.onChunk(DONOR, keyGroup, keys.getBytes());
    }

    private void keyComes(char key) throws Exception {
        KeyCodec.Answer answer = new KeyCodec.Answer();
        answer.add(new DeferredKey(new byte[] {(byte) key}), new byte[] {1});
        installer.onKeys(DONOR, 0, answer.take());
    }

    @Test
    void chunksWaitUntilThereIsEnough() throws Exception {
        chunkComes(0, "abcd");
        chunkComes(0, "efgh");
        assertThat(log).isEmpty();
        chunkComes(0, "ij");
        assertThat(log).containsExactly("0: abcd efgh ij");
        chunkComes(0, "kl");
        data.done();
        assertThat(log).containsExactly("0: abcd efgh ij");
    }

    @Test
    void theLastOnesDoNotWait() throws Exception {
        chunkComes(0, "abcd");
        installer.onEnd(DONOR, 0);
        assertThat(log).containsExactly("0: abcd");
        assertThat(told).as("key-groups that the donor need not keep").isEmpty();
        data.done();
        assertThat(log).containsExactly("0: abcd", "complete 0");
        assertThat(told).containsExactly(0);
    }

    /** A donor that is told to pause sends no more, so nobody may wait for more. */
    @Test
    void chunksOfManyKeyGroupsAreEnough() throws Exception {
        chunkComes(0, "abcde");
        chunkComes(1, "fghij");
        assertThat(log).containsExactly("0: abcde");
    }

    /** What is put in together is to be large, also where several donors send. */
    @Test
    void theKeyGroupWithMostChunksGoesFirst() throws Exception {
        chunkComes(0, "abc");
        chunkComes(1, "fghi");
        chunkComes(1, "jkl");
        assertThat(log).containsExactly("1: fghi jkl");
        chunkComes(1, "mnopqrst");
        assertThat(log)
                .as("what is behind chunks that are being put in does not count")
                .containsExactly("1: fghi jkl");
        data.done();
        assertThat(log).containsExactly("1: fghi jkl", "1: mnopqrst");
    }

    /** It does not wait for more, and nobody waits for it. */
    @Test
    void aStepBeginsAsIfNoDonorHadBeenToldToPause() throws Exception {
        for (int i = 0; i < 3; i++) {
            chunkComes(0, "abcdefghij");
        }
        assertThat(paces).containsExactly("pause");
        installer.onEnd(DONOR, 0);
        installer.onEnd(DONOR, 1);
        while (data.whenInstalled != null) {
            data.done();
        }
        assertThat(installer.isDone()).isTrue();
        paces.clear();
        now = 1_000_000_000;
        begin(2);
        for (int i = 0; i < 3; i++) {
            chunkComes(0, "abcdefghij");
        }
        assertThat(paces).containsExactly("pause");
    }

    @Test
    void anAnswerWaitsForChunksOnlyWhileItsKeyIsBeingWritten() throws Exception {
        chunkComes(0, "abcde");
        chunkComes(0, "fghij");
        log.clear();
        keyComes('a');
        assertThat(log).containsExactly("key a");
        assertThat(data.fetched.all()).as("not to be written any more").hasSize(1);
        data.fetched.hold(key -> key.bytes()[0] <= 'c');
        keyComes('b');
        keyComes('g');
        assertThat(log).containsExactly("key a", "key g");
        assertThat(data.fetched.all()).hasSize(3);
        data.fetched.hold(key -> key.bytes()[0] > 'c');
        keyComes('c');
        assertThat(log).containsExactly("key a", "key g", "key c");
        keyComes('j');
        installer.installAllChunks();
        assertThat(log).containsExactly("key a", "key g", "key c", "key b");
        data.fetched.release();
        data.done();
        assertThat(log).containsExactly("key a", "key g", "key c", "key b", "key j");
    }

    @Test
    void anAnswerThatHasWaitedIsPutInOnce() throws Exception {
        chunkComes(0, "abcde");
        chunkComes(0, "fghij");
        log.clear();
        data.fetched.hold(key -> true);
        keyComes('b');
        keyComes('b');
        data.fetched.release();
        keyComes('b');
        assertThat(log).containsExactly("key b");
        data.done();
        assertThat(log).containsExactly("key b");
    }

    /** The background has brought it, and completes the key-group. */
    @Test
    void anAnswerThatComesAtTheEndIsDropped() throws Exception {
        chunkComes(0, "abcd");
        installer.onEnd(DONOR, 0);
        data.completesAtOnce = false;
        data.done();
        keyComes('b');
        assertThat(log).containsExactly("0: abcd");
        assertThat(told).isEmpty();
        data.done();
        assertThat(log).containsExactly("0: abcd", "complete 0");
        assertThat(told).containsExactly(0);
    }

    @Test
    void keysAreAskedForUntilTheBackgroundHasBroughtThem() throws Exception {
        installer.request(0, Collections.singletonList(new DeferredKey(new byte[] {'a'})));
        chunkComes(0, "abcd");
        installer.onEnd(DONOR, 0);
        installer.request(0, Collections.singletonList(new DeferredKey(new byte[] {'b'})));
        assertThat(requests).isEqualTo(2);
        data.completesAtOnce = false;
        data.done();
        installer.request(0, Collections.singletonList(new DeferredKey(new byte[] {'c'})));
        assertThat(requests).as("while timers wake").isEqualTo(2);
    }

    /** They are not looked at before they are put in. */
    @Test
    void anAnswerDoesNotWaitForChunksThatWaitForMore() throws Exception {
        chunkComes(0, "abcde");
        keyComes('a');
        assertThat(log).containsExactly("key a");
    }

    private void sent(PeerMessage message, int donor) {
        if (message.kind() == PeerMessage.Kind.PACE) {
            paces.add(message.payload()[0] == 0 ? "pause" : "go on");
        } else if (message.kind() == PeerMessage.Kind.DATA_INSTALLED) {
            told.add(message.unit());
        } else if (message.kind() == PeerMessage.Kind.KEY_REQUEST) {
            requests++;
        }
    }

    private final class Listener implements DeferredInstaller.Listener {

        @Override
        public void onKey(DeferredKey key) {
            log.add("key " + (char) key.bytes()[0]);
        }

        @Override
        public void onKeyGroup(int keyGroup) {
            log.add("complete " + keyGroup);
        }

        @Override
        public void afterData() {
            // nothing follows from it
        }
    }

    /** Puts chunks in until it is told that that is done. */
    private final class Data extends UnusedData {

        private TaskThread.Mail whenInstalled;
        private FetchedKeys fetched;
        private boolean completesAtOnce = true;

        void done() throws Exception {
            TaskThread.Mail mail = whenInstalled;
            whenInstalled = null;
            mail.run();
        }

        @Override
        public long gatheredBytes() {
            return GATHERED_BYTES;
        }

        @Override
        public void installKey(int keyGroup, DeferredKey key, ByteBuffer data) {
            // the listener tells
        }

        @Override
        public void installChunks(
                int keyGroup,
                List<ByteBuffer> chunks,
                FetchedKeys ofKeyGroup,
                TaskThread.Mail whenDone) {
            StringBuilder line = new StringBuilder(keyGroup + ":");
            for (ByteBuffer chunk : chunks) {
                byte[] keys = new byte[chunk.remaining()];
                chunk.duplicate().get(keys);
                line.append(' ').append(new String(keys));
            }
            log.add(line.toString());
            whenInstalled = whenDone;
            fetched = ofKeyGroup;
        }

        @Override
        public void complete(
                int keyGroup, NavigableSet<DeferredKey> ofKeyGroup, TaskThread.Mail whenComplete)
                throws Exception {
            if (completesAtOnce) {
                whenComplete.run();
            } else {
                whenInstalled = whenComplete;
            }
        }
    }
}
