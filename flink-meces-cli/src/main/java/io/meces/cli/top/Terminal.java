// SPDX-License-Identifier: Apache-2.0
package io.meces.cli.top;

import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.annotation.Nullable;

/**
 * The terminal that this process was started from, by ANSI sequences and {@code stty}: a screen of
 * its own while it is open, keys without Enter. It is as it was before when it is closed, or when
 * the process ends by Ctrl-C. Not thread-safe.
 */
final class Terminal implements AutoCloseable {

    private static final File TTY = new File("/dev/tty");
    private static final String OTHER_SCREEN = "\u001b[?1049h\u001b[?25l";
    private static final String OWN_SCREEN = "\u001b[?25h\u001b[?1049l";
    private static final String HOME = "\u001b[H";
    private static final String ERASE_LINE = "\u001b[K";
    private static final String ERASE_BELOW = "\u001b[J";
    private static final long POLL_MILLIS = 50;
    private static final int STTY_SECONDS = 5;

    private final PrintWriter out;
    private final InputStream keys;
    private final String before;
    private final Thread atExit = new Thread(this::restore, "restore-terminal");
    private boolean restored;

    private Terminal(PrintWriter out, InputStream keys, String before) {
        this.out = out;
        this.keys = keys;
        this.before = before;
    }

    /** Takes over the terminal; null if there is none, or it cannot be set up. */
    @Nullable
    static Terminal open(PrintWriter out) throws InterruptedException {
        try {
            String before = stty("-g").trim();
            if (before.isEmpty()) {
                return null;
            }
            Terminal terminal = new Terminal(out, new FileInputStream(TTY), before);
            Runtime.getRuntime().addShutdownHook(terminal.atExit);
            stty("-icanon", "-echo", "min", "0", "time", "0");
            out.print(OTHER_SCREEN);
            out.flush();
            return terminal;
        } catch (IOException e) {
            return null;
        }
    }

    /** Rows and columns; 24 and 80 if they are not known. */
    int[] size() throws InterruptedException {
        try {
            String[] size = stty("size").trim().split(" ");
            int rows = Integer.parseInt(size[0]);
            int columns = Integer.parseInt(size[1]);
            if (rows > 0 && columns > 0) {
                return new int[] {rows, columns};
            }
        } catch (IOException | NumberFormatException | ArrayIndexOutOfBoundsException e) {
            // a terminal that does not tell
        }
        return new int[] {24, 80};
    }

    /** Shows these lines and nothing else. */
    void show(List<String> lines) {
        StringBuilder screen = new StringBuilder(HOME);
        for (int i = 0; i < lines.size(); i++) {
            screen.append(i == 0 ? "" : "\r\n").append(lines.get(i)).append(ERASE_LINE);
        }
        out.print(screen.append(ERASE_BELOW));
        out.flush();
    }

    /**
     * Waits for a key.
     *
     * @return whether it is q, before the time is over
     */
    boolean awaitQuit(long millis) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        while (System.nanoTime() - deadline < 0) {
            int key = keys.read();
            if (key == 'q' || key == 'Q') {
                return true;
            }
            if (key < 0) {
                // there is none yet: the terminal does not wait for one
                TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
            }
        }
        return false;
    }

    @Override
    public void close() throws IOException {
        keys.close();
        restore();
    }

    private synchronized void restore() {
        if (restored) {
            return;
        }
        restored = true;
        out.print(OWN_SCREEN);
        out.flush();
        try {
            stty(before);
        } catch (IOException e) {
            out.println("The terminal cannot be restored; type: stty sane");
            out.flush();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static String stty(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add("stty");
        command.addAll(Arrays.asList(arguments));
        Process process =
                new ProcessBuilder(command)
                        .redirectInput(TTY)
                        .redirectError(ProcessBuilder.Redirect.to(new File("/dev/null")))
                        .start();
        byte[] answer = new byte[1_024];
        int length = Math.max(0, process.getInputStream().read(answer));
        if (!process.waitFor(STTY_SECONDS, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new IOException("stty hangs");
        }
        if (process.exitValue() != 0) {
            throw new IOException("stty has failed");
        }
        return new String(answer, 0, length, StandardCharsets.US_ASCII);
    }
}
