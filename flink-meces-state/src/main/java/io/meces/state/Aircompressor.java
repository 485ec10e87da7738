// SPDX-License-Identifier: Apache-2.0
package io.meces.state;

import io.airlift.compress.Compressor;
import io.airlift.compress.Decompressor;
import io.airlift.compress.lz4.Lz4Compressor;
import io.airlift.compress.lz4.Lz4Decompressor;
import io.airlift.compress.zstd.ZstdCompressor;
import io.airlift.compress.zstd.ZstdDecompressor;

/**
 * LZ4 and Zstandard by a library that is in a jar of its own (flink-meces-compression): the one
 * class that touches it, and that is loaded when state is compressed for the first time.
 */
final class Aircompressor implements BlockCodec {

    private final Compressor compressor;
    private final Decompressor decompressor;

    private Aircompressor(Compressor compressor, Decompressor decompressor) {
        this.compressor = compressor;
        this.decompressor = decompressor;
    }

    static BlockCodec lz4() {
        return new Aircompressor(new Lz4Compressor(), new Lz4Decompressor());
    }

    static BlockCodec zstd() {
        return new Aircompressor(new ZstdCompressor(), new ZstdDecompressor());
    }

    @Override
    public int maxCompressedLength(int length) {
        return compressor.maxCompressedLength(length);
    }

    @Override
    public int compress(byte[] source, int start, int length, byte[] target) {
        return compressor.compress(source, start, length, target, 0, target.length);
    }

    @Override
    public int decompress(byte[] source, byte[] target) {
        return decompressor.decompress(source, 0, source.length, target, 0, target.length);
    }
}
