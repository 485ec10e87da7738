// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.run;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Locale;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells on the terminal what goes on, a line each, with the seconds since the beginning. */
public final class PhaseLog {

    /** Draws a picture into a file. */
    @FunctionalInterface
    public interface Plot {
        void write() throws IOException;
    }

    private static final Logger LOG = LoggerFactory.getLogger(PhaseLog.class);

    private final long startNanos = System.nanoTime();
    private final PrintWriter out;

    /** A log that begins now. */
    public PhaseLog(PrintWriter out) {
        this.out = out;
    }

    /** Prints a line. */
    public void line(String format, Object... arguments) {
        double seconds = (System.nanoTime() - startNanos) / 1e9;
        out.printf(Locale.ROOT, "[%6.1f s] ", seconds);
        out.printf(Locale.ROOT, format, arguments);
        out.println();
        out.flush();
    }

    /** Has a plot drawn, if this JVM can: some come without fonts or without AWT. */
    public void plot(Path file, Plot plot) throws IOException {
        try {
            plot.write();
            line("Plot: %s", file);
        } catch (RuntimeException | LinkageError | InternalError e) {
            LOG.warn("The plot cannot be drawn.", e);
            line("No plot: this JVM cannot draw (%s).", e);
        }
    }
}
