// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.meces.core.job.RescaleSettings;
import java.time.Duration;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.IllegalConfigurationException;
import org.apache.flink.configuration.JobManagerOptions;
import org.apache.flink.util.TimeUtils;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ConfiguredRescalesTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "meces.migration.batch-size",
                "meces.migration.batch-bytes",
                "meces.rescale.attempts"
            })
    void anOptionThatMustBePositiveIsRefusedByNameIfItIsNot(String option) {
        Configuration configuration = new Configuration();
        configuration.setString(option, "0");

        assertThatThrownBy(() -> ConfiguredRescales.settings(configuration))
                .isInstanceOf(IllegalConfigurationException.class)
                .hasMessage(option + " is 0; it must be at least 1.");
    }

    @ParameterizedTest
    @CsvSource({
        "meces.rescale.slot-timeout, 0 s, PT0S",
        "meces.rescale.slot-timeout, 101 d, PT2424H",
        // 300 years: too many nanoseconds for a long
        "meces.rescale.slot-timeout, 110000 d, PT2640000H",
        "meces.migration.timeout, 0 s, PT0S",
        "meces.migration.timeout, 101 d, PT2424H",
        "meces.migration.timeout, 110000 d, PT2640000H",
        "meces.migration.step-duration, 0 s, PT0S",
        "meces.migration.step-duration, 101 d, PT2424H",
    })
    void aTimeLimitThatCannotBeIsRefusedByName(String option, String configured, String shown) {
        Configuration configuration = new Configuration();
        configuration.setString(option, configured);

        assertThatThrownBy(() -> ConfiguredRescales.settings(configuration))
                .isInstanceOf(IllegalConfigurationException.class)
                .hasMessage(option + " is " + shown + "; it must be at least 1 ms, at most 100 d.");
    }

    @ParameterizedTest
    @ValueSource(strings = {"1 ms", "100 d"})
    void theShortestAndTheLongestTimeLimitAreTaken(String limit) {
        Configuration configuration = new Configuration();
        configuration.setString("meces.rescale.slot-timeout", limit);
        configuration.setString("meces.migration.timeout", limit);
        configuration.setString("meces.migration.step-duration", limit);
        configuration.set(JobManagerOptions.SLOT_REQUEST_TIMEOUT, Long.MAX_VALUE);

        RescaleSettings settings = ConfiguredRescales.settings(configuration);

        assertThat(settings.slotTimeout()).isEqualTo(TimeUtils.parseDuration(limit));
        assertThat(settings.stepTimeout()).isEqualTo(TimeUtils.parseDuration(limit));
        assertThat(settings.stepDuration()).isEqualTo(TimeUtils.parseDuration(limit));
    }

    @ParameterizedTest
    @CsvSource({"30 s, 30000", "5 min, 270000", "100 d, 270000"})
    void slotsAreNotAwaitedAsLongAsFlinkDoes(String configured, long millis) {
        Configuration configuration = new Configuration();
        configuration.setString("meces.rescale.slot-timeout", configured);

        assertThat(ConfiguredRescales.settings(configuration).slotTimeout())
                .isEqualTo(Duration.ofMillis(millis));
    }

    @ParameterizedTest
    @CsvSource({"0, 1", "100000, 90000", "9223372036854775807, 8640000000"})
    void theLongestTimeToAwaitSlotsIsOneThatCanBe(long flinks, long millis) {
        Configuration configuration = new Configuration();
        configuration.set(JobManagerOptions.SLOT_REQUEST_TIMEOUT, flinks);

        assertThat(ConfiguredRescales.longestSlotTimeout(configuration))
                .isEqualTo(Duration.ofMillis(millis));
    }

    @ParameterizedTest
    @CsvSource({"50 ms, true", "119999 ms, true", "2 min, false", "1 d, false"})
    void aStepThatMayTakeAsLongAsItsTimeoutIsNotLimited(String duration, boolean limited) {
        Configuration configuration = new Configuration();
        configuration.setString("meces.migration.step-duration", duration);

        assertThat(ConfiguredRescales.settings(configuration).limitsStepDuration())
                .isEqualTo(limited);
    }
}
