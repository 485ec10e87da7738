// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.checkpoint;

import java.io.IOException;
import java.util.Arrays;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.runtime.state.memory.ByteStreamStateHandle;

/**
 * Parts of the bytes of another handle, in memory once however many slices have them. Who reads a
 * slice, or writes it to the metadata, gets bytes that stand for themselves. Immutable, for any
 * thread.
 */
final class SharedBytes extends ByteStreamStateHandle {
    private static final long serialVersionUID = 1L;

    private final transient byte[] whole;

    /** Where parts begin and end, by turns. */
    private final transient int[] bounds;

    private final transient int length;

    SharedBytes(String name, byte[] whole, int[] bounds, int length) {
        super(name, new byte[0]);
        this.whole = whole;
        this.bounds = bounds;
        this.length = length;
    }

    @Override
    public byte[] getData() {
        byte[] data = new byte[length];
        int to = 0;
        for (int i = 0; i < bounds.length; i += 2) {
            int part = bounds[i + 1] - bounds[i];
            System.arraycopy(whole, bounds[i], data, to, part);
            to += part;
        }
        return data;
    }

    @Override
    public long getStateSize() {
        return length;
    }

    @Override
    public FSDataInputStream openInputStream() throws IOException {
        return plain().openInputStream();
    }

    private ByteStreamStateHandle plain() {
        return new ByteStreamStateHandle(getHandleName(), getData());
    }

    /** Who restores, or reads the store of checkpoints, is to get nothing but the slice. */
    private Object writeReplace() {
        return plain();
    }

    /** Collects the parts. */
    static final class Builder {
        private final byte[] whole;
        private int[] bounds = new int[4];
        private int used;
        private int length;

        Builder(byte[] whole) {
            this.whole = whole;
        }

        int length() {
            return length;
        }

        void add(int from, int to) {
            if (from >= to) {
                return;
            }
            length += to - from;
            if (used > 0 && bounds[used - 1] == from) {
                bounds[used - 1] = to;
                return;
            }
            if (used == bounds.length) {
                bounds = Arrays.copyOf(bounds, 2 * used);
            }
            bounds[used++] = from;
            bounds[used++] = to;
        }

        SharedBytes build(String name) {
            return new SharedBytes(name, whole, Arrays.copyOf(bounds, used), length);
        }
    }
}
