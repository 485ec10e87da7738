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

/**
 * Chooses the codec for one state, section by section, a section being what one unit has of it.
 * Pure: the same sections lead to the same choices. Owned by one thread.
 */
abstract class CompressionPolicy {

    /** Sections with fewer bytes hardly get smaller, whatever is in them. */
    static final int MIN_BYTES = 256;

    /** A policy for one state. */
    static CompressionPolicy of(Compression compression) {
        switch (compression) {
            case NONE:
                return new Fixed(UnitCodec.NONE);
            case LZ4:
                return new Fixed(UnitCodec.LZ4);
            case ZSTD:
                return new Fixed(UnitCodec.ZSTD);
            case AUTO:
                return new Sampling();
            default:
                throw new IllegalArgumentException(String.valueOf(compression));
        }
    }

    /** The codec to try for a section of so many bytes. */
    final UnitCodec codec(int bytes) {
        return bytes < MIN_BYTES ? UnitCodec.NONE : next();
    }

    /** The codec for the next section that is large enough. */
    abstract UnitCodec next();

    /**
     * A section was compressed.
     *
     * @return whether it is to be sent so, and not as it was
     */
    abstract boolean compressed(int from, int to);

    /** The same codec for all that gets smaller by it. */
    private static final class Fixed extends CompressionPolicy {

        private final UnitCodec codec;

        private Fixed(UnitCodec codec) {
            this.codec = codec;
        }

        @Override
        UnitCodec next() {
            return codec;
        }

        @Override
        boolean compressed(int from, int to) {
            return to < from;
        }
    }

    /**
     * LZ4 as long as it pays. All sections that are compressed are samples: the first ones, all
     * while it pays, and now and then one while it does not.
     */
    static final class Sampling extends CompressionPolicy {

        /** So many sections are compressed before anything is decided. */
        static final int FIRST = 4;

        /** While compression does not pay, the last of so many sections is compressed. */
        static final int PERIOD = 64;

        /** Compression pays if less than this is left of the bytes. */
        static final double PAYS = 0.8;

        private int first = FIRST;
        private int skipped;
        private double recentFrom;
        private double recentTo;

        @Override
        UnitCodec next() {
            if (first > 0 || pays(recentFrom, recentTo)) {
                return UnitCodec.LZ4;
            }
            skipped = (skipped + 1) % PERIOD;
            return skipped == 0 ? UnitCodec.LZ4 : UnitCodec.NONE;
        }

        @Override
        boolean compressed(int from, int to) {
            first = Math.max(0, first - 1);
            // as if the last four counted, so that a single one does not switch it on and off
            recentFrom += from - recentFrom / FIRST;
            recentTo += to - recentTo / FIRST;
            return pays(from, to);
        }

        private static boolean pays(double from, double to) {
            return to < PAYS * from;
        }
    }
}
