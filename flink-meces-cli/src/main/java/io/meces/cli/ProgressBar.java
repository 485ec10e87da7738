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

package io.meces.cli;

import io.meces.cli.rest.RescaleStatus;
import java.io.PrintWriter;

/** Shows how a rescale goes on: one line redrawn on a terminal, else a line for each change. */
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
    void show(RescaleStatus status) {
        show(terminal ? bar(status) + " " + text(status) : text(status));
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

    private static String text(RescaleStatus status) {
        return String.format(
                "%s  steps %d/%d  units %d/%d",
                status.state,
                status.stepsCompleted,
                status.stepsTotal,
                status.unitsMigrated,
                status.unitsTotal);
    }

    private static String bar(RescaleStatus status) {
        int full =
                status.finished()
                        ? WIDTH
                        : status.unitsTotal == 0
                                ? 0
                                : (int) (WIDTH * status.unitsMigrated / status.unitsTotal);
        StringBuilder bar = new StringBuilder("[");
        for (int i = 0; i < WIDTH; i++) {
            bar.append(i < full ? '#' : '.');
        }
        return bar.append(']').toString();
    }
}
