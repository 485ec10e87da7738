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

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.cli.rest.RescaleStatus;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

/** How progress looks. */
class ProgressBarTest {
    private final StringWriter text = new StringWriter();

    @Test
    void aTerminalGetsOneLineThatIsRedrawn() {
        ProgressBar bar = new ProgressBar(new PrintWriter(text), true);

        bar.show(status("MIGRATING", 5));
        bar.show(status("MIGRATING", 5));
        bar.show(status("FINISHED", 10));
        bar.end();

        assertThat(text.toString())
                .isEqualTo(
                        "\r\u001b[K[###############...............] MIGRATING  steps 0/0  units 5/10"
                                + "\r\u001b[K[##############################] FINISHED  steps 0/0"
                                + "  units 10/10"
                                + System.lineSeparator());
    }

    @Test
    void aFileGetsALineForEachChange() {
        ProgressBar bar = new ProgressBar(new PrintWriter(text), false);

        bar.show(status("MIGRATING", 5));
        bar.show(status("MIGRATING", 5));
        bar.show(status("FINISHED", 10));
        bar.end();

        assertThat(text.toString().split("\\R"))
                .containsExactly(
                        "MIGRATING  steps 0/0  units 5/10", "FINISHED  steps 0/0  units 10/10");
    }

    @Test
    void aRescaleThatMovesNothingHasNoProgressBeforeItsEnd() {
        ProgressBar bar = new ProgressBar(new PrintWriter(text), true);
        RescaleStatus status = status("DEPLOYING", 0);
        status.unitsTotal = 0;

        bar.show(status);

        assertThat(text.toString()).contains("[..............................] DEPLOYING");
    }

    private static RescaleStatus status(String state, long migrated) {
        RescaleStatus status = new RescaleStatus();
        status.state = state;
        status.unitsTotal = 10;
        status.unitsMigrated = migrated;
        return status;
    }
}
