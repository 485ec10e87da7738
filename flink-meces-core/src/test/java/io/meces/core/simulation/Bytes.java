// SPDX-License-Identifier: Apache-2.0
package io.meces.core.simulation;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Binary forms. */
final class Bytes {

    private Bytes() {}

    /** Writes something. */
    @FunctionalInterface
    interface Writer {
        void write(DataOutputStream out) throws IOException;
    }

    static byte[] write(Writer writer) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        writer.write(new DataOutputStream(bytes));
        return bytes.toByteArray();
    }

    static DataInputStream read(byte[] bytes) {
        return new DataInputStream(new ByteArrayInputStream(bytes));
    }

    static DataInputStream read(ByteBuffer bytes) {
        return new DataInputStream(
                new ByteArrayInputStream(
                        bytes.array(), bytes.arrayOffset() + bytes.position(), bytes.remaining()));
    }
}
