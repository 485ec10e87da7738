// SPDX-License-Identifier: Apache-2.0
package io.meces.foreign;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.UnsupportedEncodingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * What {@code print()} writes in tasks of this process, in the order of writing, without the number
 * of the subtask. Stands in the place of the standard output until it is closed. Safe for any
 * thread.
 */
final class Printed implements AutoCloseable {

    private static final Pattern SUBTASK = Pattern.compile("^\\d+> ");

    private final PrintStream before = System.out;
    private final List<String> lines = new ArrayList<>();

    Printed() throws UnsupportedEncodingException {
        System.setOut(new PrintStream(new Lines(), true, StandardCharsets.UTF_8.name()));
    }

    synchronized List<String> all() {
        return new ArrayList<>(lines);
    }

    /** Waits for what the lines have to be like. */
    synchronized void await(Predicate<List<String>> condition, Duration limit)
            throws InterruptedException, TimeoutException {
        long end = System.nanoTime() + limit.toNanos();
        while (!condition.test(lines)) {
            long left = (end - System.nanoTime()) / 1_000_000;
            if (left <= 0) {
                throw new TimeoutException("Not printed what was awaited: " + lines.size());
            }
            wait(left);
        }
    }

    private synchronized void add(String line) {
        lines.add(SUBTASK.matcher(line).replaceFirst(""));
        notifyAll();
    }

    @Override
    public void close() {
        System.setOut(before);
    }

    /** A PrintStream writes to it with a lock of its own. */
    private final class Lines extends ByteArrayOutputStream {
        @Override
        public synchronized void write(byte[] bytes, int offset, int length) {
            for (int i = offset; i < offset + length; i++) {
                write(bytes[i]);
            }
        }

        @Override
        public synchronized void write(int b) {
            if (b != '\n') {
                super.write(b);
                return;
            }
            add(new String(toByteArray(), StandardCharsets.UTF_8));
            reset();
        }
    }
}
