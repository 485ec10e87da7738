// SPDX-License-Identifier: Apache-2.0
package io.meces.cli;

import io.meces.api.RescaleDetails;
import io.meces.api.RescaleStatus;
import java.io.PrintWriter;

/** Shows how a rescale goes on: one line redrawn on a terminal, else a line for each state. */
final class ProgressBar {
    private static final int WIDTH = 30;
    private static final String ERASE_LINE = "\r\u001b[K";

    private final PrintWriter out;
    private final boolean terminal;
    private String last = "";

    ProgressBar(PrintWriter out, boolean terminal) {
        this.out = out;
        this.terminal = terminal;
    }

    /** Shows a status, unless it looks like the one before. */
    void show(RescaleDetails rescale) {
        show(terminal ? bar(rescale) + " " + text(rescale) : RescalePrinter.standing(rescale));
    }

    /** Shows that the status could not be learnt, and why; of a long reason its first line. */
    void showUnknown(Exception reason) {
        show(
                "Not known how it stands, asking again: "
                        + ("" + reason.getMessage()).split("\\R")[0]);
    }

    private void show(String line) {
        if (!line.equals(last)) {
            last = line;
            if (terminal) {
                out.print(ERASE_LINE + line);
            } else {
                out.println(line);
            }
            out.flush();
        }
    }

    /** Leaves the line, so that other output can follow. */
    void end() {
        if (terminal) {
            out.println();
            out.flush();
        }
    }

    private static String text(RescaleDetails rescale) {
        return String.format(
                "%s  %s  units %d/%d",
                RescalePrinter.standing(rescale),
                RescalePrinter.steps(rescale),
                rescale.unitsMigrated(),
                rescale.unitsTotal());
    }

    private static String bar(RescaleDetails rescale) {
        int full =
                rescale.status() == RescaleStatus.FINISHED
                        ? WIDTH
                        : rescale.unitsTotal() == 0
                                ? 0
                                : (int) (WIDTH * rescale.unitsMigrated() / rescale.unitsTotal());
        StringBuilder bar = new StringBuilder("[");
        for (int i = 0; i < WIDTH; i++) {
            bar.append(i < full ? '#' : '.');
        }
        return bar.append(']').toString();
    }
}
