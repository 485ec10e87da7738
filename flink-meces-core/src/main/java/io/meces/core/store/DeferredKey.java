// SPDX-License-Identifier: Apache-2.0
package io.meces.core.store;

import java.util.Arrays;

/**
 * A key whose data comes apart from its unit, in the binary form that the state has of it. Ordered
 * as unsigned bytes, as a sorted store orders them. Immutable; the array must not be changed.
 */
public final class DeferredKey implements Comparable<DeferredKey> {

    private final byte[] bytes;
    private final int hash;

    /**
     * @param bytes no key of the same key-group begins with those of another one, which holds for
     *     serializers that can tell where a value ends
     */
    public DeferredKey(byte[] bytes) {
        this.bytes = bytes;
        this.hash = Arrays.hashCode(bytes);
    }

    public byte[] bytes() {
        return bytes;
    }

    /** Whether it stands in an array at a place. */
    public boolean isAt(byte[] array, int offset) {
        if (array.length - offset < bytes.length) {
            return false;
        }
        for (int i = 0; i < bytes.length; i++) {
            if (array[offset + i] != bytes[i]) {
                return false;
            }
        }
        return true;
    }

    @Override
    public int compareTo(DeferredKey other) {
        int shared = Math.min(bytes.length, other.bytes.length);
        for (int i = 0; i < shared; i++) {
            int difference = (bytes[i] & 0xFF) - (other.bytes[i] & 0xFF);
            if (difference != 0) {
                return difference;
            }
        }
        return bytes.length - other.bytes.length;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof DeferredKey && Arrays.equals(bytes, ((DeferredKey) other).bytes);
    }

    @Override
    public int hashCode() {
        return hash;
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("key ");
        for (int i = 0; i < Math.min(bytes.length, 16); i++) {
            text.append(String.format("%02x", bytes[i]));
        }
        return text.append(bytes.length > 16 ? "..." : "").toString();
    }
}
