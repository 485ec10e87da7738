// SPDX-License-Identifier: Apache-2.0
package io.meces.state;

/**
 * Compresses and decompresses arrays of bytes. Keeps buffers: of one thread at a time.
 *
 * <p>Says nothing of the library that does it, so that classes that know this one can be loaded
 * without it.
 */
interface BlockCodec {

    /** How long the result can be, in bytes. */
    int maxCompressedLength(int length);

    /**
     * Compresses a part of an array into another one, from its start on.
     *
     * @param target with room for {@link #maxCompressedLength}
     * @return the length of the result
     */
    int compress(byte[] source, int start, int length, byte[] target);

    /**
     * Decompresses an array into another one.
     *
     * @return the length of the result
     * @throws RuntimeException if the source was not compressed so, or there is no room for it
     */
    int decompress(byte[] source, byte[] target);
}
