// SPDX-License-Identifier: Apache-2.0
package io.meces.state;

import static io.meces.state.Backends.TIMERS;
import static io.meces.state.Backends.extract;
import static io.meces.state.Backends.install;
import static io.meces.state.Backends.keyGroup;
import static io.meces.state.Backends.meces;
import static io.meces.state.Backends.schema;
import static io.meces.state.Backends.state;
import static io.meces.state.Backends.subGroup;
import static io.meces.state.Backends.timer;
import static io.meces.state.Backends.timers;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import java.util.TreeSet;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.api.common.typeutils.base.array.BytePrimitiveArraySerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.runtime.state.KeyGroupedInternalPriorityQueue;
import org.apache.flink.streaming.api.operators.TimerHeapInternalTimer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Units that are compressed on their way. */
class UnitCompressionTest {

    private static final Logger LOG = LoggerFactory.getLogger(UnitCompressionTest.class);

    private static final ValueStateDescriptor<byte[]> BLOB =
            new ValueStateDescriptor<>("blob", BytePrimitiveArraySerializer.INSTANCE);

    /** Where the first section of a unit is: its codec, raw length, length, bytes. */
    private static final int CODEC_AT = 3 * Integer.BYTES + Short.BYTES;

    private static final int RAW_LENGTH_AT = CODEC_AT + 1;
    private static final int LENGTH_AT = RAW_LENGTH_AT + Integer.BYTES;

    private MecesKeyedStateBackend<String> donor;
    private MecesKeyedStateBackend<String> receiver;
    private KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<String, String>> donorTimers;
    private KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<String, String>> receiverTimers;

    @BeforeEach
    void createBackends() throws Exception {
        donor = meces();
        receiver = meces();
        donorTimers = timers(donor, TIMERS);
        receiverTimers = timers(receiver, TIMERS);
    }

    private byte[] extractUnitOfA(Compression compression) throws IOException {
        return extract(
                donor.units(), keyGroup("a"), subGroup("a"), new UnitCompression(compression));
    }

    private void installUnitOfA(byte[] unit, UnitSchema schema) throws IOException {
        install(receiver.units(), keyGroup("a"), subGroup("a"), unit, schema);
    }

    private void fillUnitOfA(int namespaces) throws Exception {
        for (int i = 0; i < namespaces; i++) {
            States.fill(donor, "a", "n" + i, i);
            donorTimers.add(timer(i, "a", "n" + i));
        }
    }

    private void setBlob(byte[] blob) throws Exception {
        state(donor, "a", "n", StringSerializer.INSTANCE, BLOB).update(blob);
    }

    private byte[] blob() throws Exception {
        return state(receiver, "a", "n", StringSerializer.INSTANCE, BLOB).value();
    }

    private static byte[] noise(int bytes) {
        byte[] noise = new byte[bytes];
        new Random(1).nextBytes(noise);
        return noise;
    }

    @ParameterizedTest
    @EnumSource(Compression.class)
    void allKindsOfStateAndTimersArrive(Compression kind) throws Exception {
        long seed = Long.getLong("meces.test.seed", System.nanoTime());
        LOG.info("Seed: -Dmeces.test.seed={}", seed);
        Random random = new Random(seed);
        UnitCompression compression = new UnitCompression(kind);
        UnitSchema schema = null;
        for (int round = 0; round < 30; round++) {
            int namespaces = 1 << random.nextInt(10);
            fillUnitOfA(namespaces);
            String expected = contents(donor, donorTimers, namespaces);
            if (schema == null) {
                schema = schema(donor.units(), receiver.units());
            }
            byte[] unit = extract(donor.units(), keyGroup("a"), subGroup("a"), compression);
            installUnitOfA(unit, schema);
            assertThat(contents(receiver, receiverTimers, namespaces))
                    .as("seed %d", seed)
                    .isEqualTo(expected);
            assertThat(donor.units().isEmpty(keyGroup("a"), subGroup("a"))).isTrue();
            extract(receiver.units(), keyGroup("a"), subGroup("a"), compression);
        }
        assertThat(compression.bytesSaved() > 0).isEqualTo(kind != Compression.NONE);
    }

    private static String contents(
            MecesKeyedStateBackend<String> backend,
            KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<String, String>> queue,
            int namespaces)
            throws Exception {
        StringBuilder contents = new StringBuilder();
        for (int i = 0; i < namespaces; i++) {
            contents.append(States.read(backend, "a", "n" + i)).append('\n');
        }
        TreeSet<String> all = new TreeSet<>();
        queue.iterator().forEachRemaining(timer -> all.add(timer.toString()));
        return contents.append(all).toString();
    }

    @ParameterizedTest
    @EnumSource(Compression.class)
    void countsWhatIsSaved(Compression kind) throws Exception {
        fillUnitOfA(500);
        UnitCompression compression = new UnitCompression(kind);
        UnitSchema schema = schema(donor.units(), receiver.units());
        byte[] plain = extractUnitOfA(Compression.NONE);
        installUnitOfA(plain, schema);
        UnitSchema back = schema(receiver.units(), donor.units());
        byte[] unit = extract(receiver.units(), keyGroup("a"), subGroup("a"), compression);
        assertThat(unit.length + compression.bytesSaved()).isEqualTo(plain.length);
        install(donor.units(), keyGroup("a"), subGroup("a"), unit, back);
    }

    @ParameterizedTest
    @EnumSource(Compression.class)
    void whatCannotBeCompressedIsSentAsItIs(Compression compression) throws Exception {
        setBlob(noise(10_000));
        UnitSchema schema = schema(donor.units(), receiver.units());
        byte[] unit = extractUnitOfA(compression);
        assertThat(unit[CODEC_AT]).isZero();
        installUnitOfA(unit, schema);
        assertThat(blob()).isEqualTo(noise(10_000));
    }

    @ParameterizedTest
    @EnumSource(Compression.class)
    void whatGetsExtremelySmallIsNotRefused(Compression compression) throws Exception {
        byte[] zeros = new byte[5_000_000];
        setBlob(zeros);
        UnitSchema schema = schema(donor.units(), receiver.units());
        byte[] unit = extractUnitOfA(compression);
        assertThat(unit.length < 25_000).isEqualTo(compression != Compression.NONE);
        installUnitOfA(unit, schema);
        assertThat(blob()).isEqualTo(zeros);
    }

    // ------------------------------------------------------------------------
    //  Malformed units
    // ------------------------------------------------------------------------

    private void assertRefused(byte[] unit, UnitSchema schema, Class<?> error) {
        assertThatThrownBy(() -> installUnitOfA(unit, schema)).isInstanceOf(error);
        assertThat(receiver.units().isEmpty(keyGroup("a"), subGroup("a"))).isTrue();
    }

    @ParameterizedTest
    @EnumSource(value = Compression.class, names = "NONE", mode = EnumSource.Mode.EXCLUDE)
    void lengthsThatMakeNoSenseAreRefusedBeforeAnythingIsAllocated(Compression compression)
            throws Exception {
        fillUnitOfA(100);
        UnitSchema schema = schema(donor.units(), receiver.units());
        byte[] unit = extractUnitOfA(compression);
        assertThat(unit[CODEC_AT]).isPositive();
        int length = ByteBuffer.wrap(unit).getInt(LENGTH_AT);
        int rawLength = ByteBuffer.wrap(unit).getInt(RAW_LENGTH_AT);

        for (int wrong :
                new int[] {Integer.MIN_VALUE, -1, 0, Integer.MAX_VALUE, length * 255 + 1}) {
            assertRefused(with(unit, RAW_LENGTH_AT, wrong), schema, IOException.class);
        }
        for (int wrong : new int[] {Integer.MIN_VALUE, -1, 0, 1, Integer.MAX_VALUE, unit.length}) {
            assertRefused(with(unit, LENGTH_AT, wrong), schema, IOException.class);
        }
        for (int wrong : new int[] {1, rawLength - 1, rawLength + 1}) {
            assertRefused(with(unit, RAW_LENGTH_AT, wrong), schema, IOException.class);
        }
        installUnitOfA(unit, schema);
        assertThat(States.read(receiver, "a", "n7")).isEqualTo(States.filled(7));
    }

    @Test
    void anUnknownCodecIsRefused() throws Exception {
        fillUnitOfA(100);
        UnitSchema schema = schema(donor.units(), receiver.units());
        byte[] unit = extractUnitOfA(Compression.LZ4);
        for (byte codec : new byte[] {-128, -1, 3, 127}) {
            byte[] wrong = unit.clone();
            wrong[CODEC_AT] = codec;
            assertRefused(wrong, schema, IOException.class);
        }
    }

    @ParameterizedTest
    @EnumSource(value = Compression.class, names = "NONE", mode = EnumSource.Mode.EXCLUDE)
    void aTruncatedUnitLeavesNothingBehind(Compression compression) throws Exception {
        fillUnitOfA(60);
        UnitSchema schema = schema(donor.units(), receiver.units());
        byte[] unit = extractUnitOfA(compression);
        for (int length = 0; length < unit.length; length++) {
            assertRefused(Arrays.copyOf(unit, length), schema, EOFException.class);
        }
    }

    @Test
    void bytesBehindTheLastEntryAreRefused() throws Exception {
        fillUnitOfA(60);
        UnitSchema schema = schema(donor.units(), receiver.units());
        byte[] unit = extractUnitOfA(Compression.NONE);
        UnitCompression lz4 = new UnitCompression(Compression.LZ4);
        // the first section of the unit, as if the rest were of it, too
        DataOutputSerializer out = new DataOutputSerializer(1024);
        out.write(unit);
        lz4.compress(0, out, 3 * Integer.BYTES);
        byte[] wrong = out.getCopyOfBuffer();
        assertThatThrownBy(() -> installUnitOfA(wrong, schema))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("too many");
        assertThat(receiver.units().isEmpty(keyGroup("a"), subGroup("a"))).isTrue();
    }

    @ParameterizedTest
    @EnumSource(value = UnitCodec.class, names = "NONE", mode = EnumSource.Mode.EXCLUDE)
    void damagedBytesAreRefusedOrHaveTheLengthThatWasAnnounced(UnitCodec codec) throws Exception {
        long seed = Long.getLong("meces.test.seed", System.nanoTime());
        LOG.info("Seed: -Dmeces.test.seed={}", seed);
        Random random = new Random(seed);
        byte[] raw = new byte[2_000];
        for (int i = 0; i < raw.length; i++) {
            raw[i] = (byte) (random.nextInt(4) * random.nextInt(4));
        }
        byte[] room = new byte[4_000];
        int length = codec.newBlockCodec().compress(raw, 0, raw.length, room);
        byte[] section =
                ByteBuffer.allocate(8 + length)
                        .putInt(raw.length)
                        .putInt(length)
                        .put(room, 0, length)
                        .array();
        BlockCodec decompressor = codec.newBlockCodec();
        int refused = 0;
        for (int i = 0; i < 20_000; i++) {
            byte[] damaged = section.clone();
            int changes = 1 + random.nextInt(4);
            for (int n = 0; n < changes; n++) {
                damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
            }
            int announced = ByteBuffer.wrap(damaged).getInt();
            try {
                byte[] read = UnitCodec.read(new DataInputDeserializer(damaged), decompressor);
                assertThat(read).as("seed %d", seed).hasSize(announced);
            } catch (IOException e) {
                refused++;
            }
        }
        assertThat(refused).as("seed %d", seed).isPositive();
        assertThat(UnitCodec.read(new DataInputDeserializer(section), decompressor)).isEqualTo(raw);
    }

    private static byte[] with(byte[] unit, int at, int value) {
        byte[] changed = unit.clone();
        ByteBuffer.wrap(changed).putInt(at, value);
        return changed;
    }
}
