/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
 * in compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License
 * is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
 * or implied. See the License for the specific language governing permissions and limitations under
 * the License.
 */

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
