// SPDX-License-Identifier: Apache-2.0
package io.meces.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.api.RescaleDetails;
import io.meces.api.RescaleState;
import io.meces.api.RescaleStatus;
import java.io.PrintWriter;
import java.io.StringWriter;
import javax.annotation.Nullable;
import org.junit.jupiter.api.Test;

/** How progress looks. */
class ProgressBarTest {
    private final StringWriter text = new StringWriter();

    @Test
    void aTerminalGetsOneLineThatIsRedrawn() {
        ProgressBar bar = new ProgressBar(new PrintWriter(text), true);

        bar.show(migrating(5));
        bar.show(migrating(5));
        bar.show(details(RescaleStatus.FINISHED, null, 10, 10));
        bar.end();

        assertThat(text.toString())
                .isEqualTo(
                        "\r\u001b[K[###############...............] RUNNING (MIGRATING)  steps 0 of about 0  units 5/10"
                                + "\r\u001b[K[##############################] FINISHED  steps 0 of 0"
                                + "  units 10/10"
                                + System.lineSeparator());
    }

    @Test
    void aFileGetsALineForEachState() {
        ProgressBar bar = new ProgressBar(new PrintWriter(text), false);

        bar.show(migrating(5));
        bar.show(migrating(6));
        bar.show(details(RescaleStatus.FINISHED, null, 10, 10));
        bar.end();

        assertThat(text.toString().split("\\R")).containsExactly("RUNNING (MIGRATING)", "FINISHED");
    }

    @Test
    void aRescaleThatMovesNothingHasNoProgressBeforeItsEnd() {
        ProgressBar bar = new ProgressBar(new PrintWriter(text), true);
        bar.show(details(RescaleStatus.RUNNING, RescaleState.DEPLOYING, 0, 0));

        assertThat(text.toString())
                .contains("[..............................] RUNNING (DEPLOYING)");
    }

    @Test
    void aFileSaysHowManySlotsAreAwaited() {
        ProgressBar bar = new ProgressBar(new PrintWriter(text), false);
        bar.show(
                RescaleDetails.of("aa", RescaleStatus.RUNNING)
                        .state(RescaleState.DEPLOYING)
                        .missingSlots(2, 0)
                        .build());

        assertThat(text.toString())
                .startsWith("RUNNING (DEPLOYING, waits for 2 more slot(s), is given up at ");
    }

    private static RescaleDetails migrating(long migrated) {
        return details(RescaleStatus.RUNNING, RescaleState.MIGRATING, migrated, 10);
    }

    private static RescaleDetails details(
            RescaleStatus status, @Nullable RescaleState state, long migrated, long total) {
        return RescaleDetails.of("abc", status).state(state).units(migrated, total).build();
    }
}
