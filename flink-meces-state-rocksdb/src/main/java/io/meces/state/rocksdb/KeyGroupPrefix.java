// SPDX-License-Identifier: Apache-2.0
package io.meces.state.rocksdb;

/** The bytes with which all keys of a key-group begin, big-endian as Flink writes them. */
final class KeyGroupPrefix {

    private KeyGroupPrefix() {}

    /**
     * @param length in bytes, 1 or 2
     */
    static byte[] of(int keyGroup, int length) {
        byte[] prefix = new byte[length];
        for (int i = 0; i < length; i++) {
            prefix[i] = (byte) (keyGroup >>> (length - 1 - i) * Byte.SIZE);
        }
        return prefix;
    }

    static boolean isAt(byte[] key, byte[] prefix) {
        if (key.length < prefix.length) {
            return false;
        }
        for (int i = 0; i < prefix.length; i++) {
            if (key[i] != prefix[i]) {
                return false;
            }
        }
        return true;
    }
}
