// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.core.checkpoint.RescaleException;
import io.meces.flink.runtime.JobRestarts;
import java.io.IOException;
import org.apache.flink.runtime.executiongraph.failover.flip1.FixedDelayRestartBackoffTimeStrategy.FixedDelayRestartBackoffTimeStrategyFactory;
import org.apache.flink.runtime.executiongraph.failover.flip1.NoRestartBackoffTimeStrategy;
import org.junit.jupiter.api.Test;

/** A restart for a rescale is none that the user has to pay for. */
class RescaleRestartsTest {

    private static RescaleRestarts attempts(int number) {
        return new RescaleRestarts(
                new JobRestarts(
                        new FixedDelayRestartBackoffTimeStrategyFactory(number, 7).create()));
    }

    @Test
    void aRestartForARescaleTakesNoAttempt() {
        RescaleRestarts restarts = attempts(1);
        for (int i = 0; i < 3; i++) {
            restarts.notifyFailure(new RescaleException("took too long"));
            assertThat(restarts.canRestart()).isTrue();
        }
        restarts.notifyFailure(new IOException("of the job"));
        assertThat(restarts.canRestart()).isTrue();
        restarts.notifyFailure(new RescaleException("took too long"));
        assertThat(restarts.canRestart()).isTrue();
        restarts.notifyFailure(new IOException("of the job"));
        assertThat(restarts.canRestart()).isFalse();
        assertThat(restarts.getBackoffTime()).isEqualTo(7);
    }

    @Test
    void aJobThatNeverRestartsDoesNotForARescaleEither() {
        for (RescaleRestarts none :
                new RescaleRestarts[] {
                    attempts(0),
                    new RescaleRestarts(new JobRestarts(NoRestartBackoffTimeStrategy.INSTANCE))
                }) {
            assertThat(none.areAllowed()).isFalse();
            none.notifyFailure(new RescaleException("it cannot go on"));
            assertThat(none.canRestart()).isFalse();
        }
        assertThat(attempts(1).areAllowed()).isTrue();
    }
}
