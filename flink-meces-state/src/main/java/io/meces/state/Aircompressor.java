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
