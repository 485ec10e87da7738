// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.soak;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SoakEventTest {

    private static SoakEvent event(SoakAction action, String outcome) {
        SoakEvent event = new SoakEvent(action, 0);
        event.outcome = outcome;
        return event;
    }

    @ParameterizedTest
    @CsvSource({"FINISHED", "SKIPPED", "DONE"})
    void whatCameToItsEndIsFine(String outcome) {
        assertThat(event(SoakAction.rescale(0, 3), outcome).complaint()).isNull();
    }

    @ParameterizedTest
    @CsvSource({"FAILED", "REFUSED", "ABORTED"})
    void whatDidNotIsNotFineWhateverWasKilled(String outcome) {
        SoakEvent event = event(SoakAction.rescale(0, 3).withKill(10, 1), outcome);
        event.killed = true;
        event.failure = "why";
        assertThat(event.complaint())
                .contains("rescale to 3, kill 1 after 10 ms")
                .contains(outcome)
                .contains("why");
    }

    @Test
    void anAbortByRequestIsFine() {
        SoakEvent event = event(SoakAction.rescale(0, 3).withAbort(10, true), "ABORTED");
        event.aborted = true;
        assertThat(event.complaint()).isNull();
    }
}
