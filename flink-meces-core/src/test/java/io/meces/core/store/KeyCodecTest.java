// SPDX-License-Identifier: Apache-2.0
package io.meces.core.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class KeyCodecTest {

    private static DeferredKey key(int... bytes) {
        byte[] array = new byte[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            array[i] = (byte) bytes[i];
        }
        return new DeferredKey(array);
    }

    @Test
    void keysComeBackAsTheyWere() throws Exception {
        List<DeferredKey> keys = Arrays.asList(key(1, 2, 3), key(), key(255));
        assertThat(KeyCodec.read(KeyCodec.write(keys))).isEqualTo(keys);
    }

    @Test
    void dataOfKeysComesBackAsItWas() throws Exception {
        KeyCodec.Answer answer = new KeyCodec.Answer();
        answer.add(key(1), new byte[] {7, 8});
        answer.add(key(2), new byte[0]);
        List<KeyCodec.KeyData> read = KeyCodec.readData(answer.take());
        assertThat(read).extracting(k -> k.key).containsExactly(key(1), key(2));
        assertThat(read.get(0).data).isEqualTo(ByteBuffer.wrap(new byte[] {7, 8}));
        assertThat(read.get(1).data.hasRemaining()).isFalse();
        assertThat(answer.take()).as("what was taken").isEmpty();
    }

    @Test
    void whatIsCutOffIsRefused() {
        byte[] keys = KeyCodec.write(Collections.singletonList(key(1, 2, 3)));
        assertThatThrownBy(() -> KeyCodec.read(Arrays.copyOf(keys, keys.length - 1)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("3 bytes in a message with 2 left");
        assertThatThrownBy(() -> KeyCodec.readData(keys))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("end within a length");
    }

    @Test
    void keysAreOrderedAsUnsignedBytes() {
        assertThat(key(1, 200)).isGreaterThan(key(1, 100)).isGreaterThan(key(1));
        assertThat(key(1, 2)).isEqualByComparingTo(key(1, 2)).hasSameHashCodeAs(key(1, 2));
        assertThat(key(2, 3).isAt(new byte[] {1, 2, 3, 4}, 1)).isTrue();
        assertThat(key(2, 3).isAt(new byte[] {1, 2}, 1)).isFalse();
    }
}
