// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.meces.experiments.traffic.KeyDistribution;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class BenchOptionsTest {

    @Test
    void theDefaultsAreValid() {
        assertThatCode(keyCount()::validate).doesNotThrowAnyException();
        NexmarkOptions nexmark = new NexmarkOptions();
        new CommandLine(nexmark).parseArgs();
        assertThatCode(nexmark::validate).doesNotThrowAnyException();
        assertThat(nexmark.queries).hasSize(8);
    }

    @Test
    void aScenarioSetsWhatIsNotSet() {
        KeyCountOptions in = keyCount("--scenario", "scale-in");
        assertThat(in.from()).isEqualTo(3);
        assertThat(in.to()).isEqualTo(2);
        assertThat(keyCount("--scenario", "skew").distribution()).isEqualTo(KeyDistribution.ZIPF);
        KeyCountOptions pressed = keyCount("--scenario", "back-pressure");
        assertThat(pressed.workMicros()).isEqualTo(1_000);
        assertThat(pressed.rate()).isEqualTo(1_300);
        assertThat(keyCount("--scenario", "back-pressure", "--rate", "7").rate()).isEqualTo(7);
    }

    @Test
    void aTargetThatIsNotThatOfTheScenarioIsRefused() {
        assertThatThrownBy(keyCount("--scenario", "scale-in", "--to", "5")::validate)
                .hasMessage("From 3 to 5 is no scale-in.");
        assertThatThrownBy(keyCount("--to", "1")::validate)
                .hasMessage("From 2 to 1 is no scale-out.");
    }

    @Test
    void whatDoesNotExistIsNamed() {
        assertThatThrownBy(keyCount("--scenario", "holiday")::validate)
                .hasMessageContaining("holiday");
        assertThatThrownBy(keyCount("--mechanisms", "meces,magic")::validate)
                .hasMessageContaining("magic");
    }

    @Test
    void customPartitioningComparesStrategiesUnlessToldWhat() {
        KeyCountOptions options = keyCount("--scenario", "custom-partitioning");

        assertThatCode(options::validate).doesNotThrowAnyException();
        assertThat(options.from()).isLessThan(options.to());
        assertThat(options.mechanisms())
                .extracting(mechanism -> mechanism.strategy)
                .containsExactlyInAnyOrderElementsOf(Mechanism.STRATEGIES);
        assertThat(
                        keyCount(
                                        "--scenario",
                                        "custom-partitioning",
                                        "--mechanisms",
                                        "meces/uniform,native")
                                .mechanisms())
                .extracting(Mechanism::toString)
                .containsExactly("meces/uniform", "native");
        assertThat(keyCount().mechanisms())
                .extracting(Mechanism::toString)
                .containsExactly("meces", "order-unaware", "native");
    }

    @Test
    void strategiesAreNotComparedUnderBackPressure() {
        KeyCountOptions options =
                keyCount("--scenario", "back-pressure", "--mechanisms", "meces,meces/uniform");

        assertThatThrownBy(options::validate).hasMessageContaining("under back-pressure");
    }

    @Test
    void practisesUnlessTheFirstRescaleIsToBeMeasured() {
        assertThat(keyCount().practises()).isTrue();
        assertThat(keyCount("--cold").practises()).isFalse();
        assertThat(keyCount("--scenario", "back-pressure").practises()).isFalse();
        assertThatThrownBy(keyCount("--cold", "--mechanisms", "meces/uniform")::validate)
                .hasMessageContaining("--cold");
    }

    @Test
    void nexmarkHasNoBackPressure() {
        NexmarkOptions options = new NexmarkOptions();
        options.scenario = "back-pressure";

        assertThatThrownBy(options::validate).hasMessageContaining("back-pressure");
    }

    @Test
    void thePresetOfThePaperIsRefusedWhereItCannotRun() {
        KeyCountOptions options = keyCount("--preset", "PAPER");

        if (Runtime.getRuntime().availableProcessors() < KeyCountOptions.PAPER_PROCESSORS) {
            assertThatThrownBy(options::validate)
                    .hasMessageContaining("--cluster and --bootstrap-servers")
                    .hasMessageContaining("docs/experiments.md");
        }
        assertThat(options.from()).isEqualTo(25);
        assertThat(options.to()).isEqualTo(30);
        assertThat(options.rate()).isEqualTo(800_000);
        assertThat(options.keys()).isEqualTo(100_000_000);
        assertThat(options.partitions()).isEqualTo(25);
    }

    @Test
    void aJobThatReadsWithMoreSubtasksThanItCountsWithNeedsASlotForEach() {
        assertThat(keyCount().slots()).isEqualTo(3);
        assertThat(keyCount("--partitions", "5").slots()).isEqualTo(5);
        assertThatThrownBy(keyCount("--partitions", "0")::validate)
                .hasMessageContaining("--partitions");
    }

    @Test
    void theHeapGrowsWithTheState() {
        assertThat(keyCount().heapMegabytes()).isEqualTo(1_024);
        assertThat(keyCount("--keys", "500000").heapMegabytes()).isBetween(2_400, 2_500);
        assertThat(keyCount("--task-manager-heap", "700").heapMegabytes()).isEqualTo(700);
    }

    @Test
    void heapsThatDoNotFitIntoTheMachineAreRefused() {
        assertThatThrownBy(keyCount("--task-manager-heap", "100000000")::validate)
                .hasMessageContaining("100000000 MB each, and about")
                .hasMessageContaining("--task-manager-heap");
    }

    private static KeyCountOptions keyCount(String... arguments) {
        KeyCountOptions options = new KeyCountOptions();
        new CommandLine(options).parseArgs(arguments);
        return options;
    }
}
