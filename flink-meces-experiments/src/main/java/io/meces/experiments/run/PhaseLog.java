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

package io.meces.experiments.run;

import java.io.PrintWriter;
import java.util.Locale;

/** Tells on the terminal what goes on, a line each, with the seconds since the beginning. */
public final class PhaseLog {
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
}
