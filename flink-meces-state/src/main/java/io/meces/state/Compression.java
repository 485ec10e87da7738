// SPDX-License-Identifier: Apache-2.0
package io.meces.state;

/** How the state and timers of a unit are compressed, if they are. */
public enum Compression {
    /** Not at all. */
    NONE,
    /** By LZ4: fast. */
    LZ4,
    /** By Zstandard: smaller, and slower. */
    ZSTD
}
