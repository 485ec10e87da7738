// SPDX-License-Identifier: Apache-2.0
package io.meces.state;

import io.meces.flink.state.TestBackends;
import java.util.Random;
import org.apache.flink.api.common.ExecutionConfig;
import org.apache.flink.api.common.typeutils.TypeSerializer;

/** A key whose hash code is chosen, and which counts how often keys are hashed and compared. */
final class HashedKey {

    /** Calls of {@link #hashCode} and {@link #equals} of all keys; one test thread. */
    static int uses;

    private int hash;
    private int id;

    @SuppressWarnings("unused") // Kryo
    private HashedKey() {}

    HashedKey(int hash, int id) {
        this.hash = hash;
        this.id = id;
    }

    static TypeSerializer<HashedKey> serializer() {
        return TestBackends.kryo(HashedKey.class, new ExecutionConfig());
    }

    /** A key out of some hundred, many of which have the same hash code, or an extreme one. */
    static HashedKey any(Random random) {
        switch (random.nextInt(4)) {
            case 0:
                int[] extreme = {0, -1, 1, Integer.MIN_VALUE, Integer.MAX_VALUE};
                return new HashedKey(extreme[random.nextInt(extreme.length)], random.nextInt(3));
            case 1:
                return new HashedKey(4711, random.nextInt(100));
            default:
                int id = random.nextInt(300);
                return new HashedKey(id * 0x9E3779B9, id);
        }
    }

    @Override
    public int hashCode() {
        uses++;
        return hash;
    }

    @Override
    public boolean equals(Object other) {
        uses++;
        return other instanceof HashedKey
                && ((HashedKey) other).hash == hash
                && ((HashedKey) other).id == id;
    }

    @Override
    public String toString() {
        return hash + "#" + id;
    }
}
