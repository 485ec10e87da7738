// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** What can be said about clusters, and what is refused. */
class ClusterOptionsTest {
    private static final String MECES = "--cluster meces=jobmanager:8081";
    private static final String KAFKA = " --bootstrap-servers kafka:9092";

    @Test
    void theMechanismsAreThoseThatHaveAClusterUnlessTheyAreNamed() {
        KeyCountOptions options =
                valid(
                        MECES
                                + " --cluster order-unaware:kafka-redis=other:8082"
                                + " --bootstrap-servers a:9092,b:9092");

        assertThat(options.mechanisms())
                .extracting(Mechanism::toString)
                .containsExactly("meces", "order-unaware:kafka-redis");
        assertThat(address(options, "order-unaware:kafka-redis")).isEqualTo("other:8082");
        assertThat(valid(MECES + KAFKA + " --mechanisms meces/uniform,meces").mechanisms())
                .hasSize(2);
    }

    @Test
    void aStrategyRunsOnTheClusterOfItsMechanism() {
        KeyCountOptions options =
                valid(
                        MECES
                                + " --cluster meces/uniform=own:8081 --mechanisms"
                                + " meces,meces/uniform,meces/load-aware"
                                + KAFKA);

        assertThat(address(options, "meces/load-aware")).isEqualTo("jobmanager:8081");
        assertThat(address(options, "meces/uniform")).isEqualTo("own:8081");
        assertThat(address(options, "meces:kafka-redis")).isNull();
    }

    @Test
    void aNameWithoutATransitionServiceHasTheDefaultOne() {
        KeyCountOptions options = valid(MECES + KAFKA + " --transition-service kafka-redis");

        assertThat(options.mechanisms())
                .extracting(Mechanism::toString)
                .containsExactly("meces:kafka-redis");
    }

    @Test
    void aMechanismWithoutAClusterIsRefused() {
        assertRefused(MECES + KAFKA + " --mechanisms meces,native")
                .hasMessageContaining("no cluster for native")
                .hasMessageContaining("--cluster native=HOST:PORT");
        assertRefused(MECES + KAFKA + " --mechanisms order-unaware")
                .hasMessageContaining("--cluster order-unaware=HOST:PORT");
    }

    @Test
    void aClusterThatNoMechanismUsesIsRefused() {
        assertRefused(MECES + " --cluster order-unaware=other:8081 --mechanisms meces" + KAFKA)
                .hasMessageContaining("order-unaware");
    }

    @Test
    void aMechanismWithTwoClustersIsRefused() {
        assertRefused(MECES + " --cluster meces=other:8081" + KAFKA)
                .hasMessageContaining("twice for meces");
        assertRefused(MECES + " --cluster meces:netty=other:8081" + KAFKA)
                .hasMessageContaining("twice for meces");
    }

    @Test
    void nativeNeedsADirectoryForSavepoints() {
        String stock = "--cluster native=stock:8081" + KAFKA;

        assertRefused(stock).hasMessageContaining("--savepoints URI");
        assertRefused(stock + " --savepoints /savepoints").hasMessageContaining("not /savepoints");
        assertThat(valid(stock + " --savepoints file:///savepoints").mechanisms()).hasSize(1);
    }

    @Test
    void clustersAndTheirKafkaGoTogether() {
        assertRefused(MECES).hasMessageContaining("--bootstrap-servers HOST:PORT");
        assertRefused(KAFKA.trim()).hasMessageContaining("goes with --cluster");
        assertRefused("--savepoints file:///savepoints")
                .hasMessageContaining("goes with --cluster");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "meces",
                "=jobmanager:8081",
                "meces=",
                "meces=jobmanager",
                "meces=jobmanager:",
                "meces=:8081",
                "meces=jobmanager:x",
                "meces=jobmanager:0",
                "meces=jobmanager:70000",
                "meces=http://jobmanager:8081",
                "meces=jobmanager:8081/jobs",
                "magic=jobmanager:8081"
            })
    void whatIsNoClusterIsRefused(String cluster) {
        assertRefused("--cluster " + cluster + KAFKA)
                .isInstanceOf(IllegalArgumentException.class)
                .satisfies(e -> assertThat(e.getMessage()).containsAnyOf("--cluster", "magic"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"kafka", "kafka:9092,", "kafka:9092,other", "kafka:9092:x"})
    void whatIsNoListOfServersIsRefused(String servers) {
        assertRefused(MECES + " --bootstrap-servers " + servers)
                .hasMessageContaining("--bootstrap-servers takes");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--task-manager-heap 2048",
                "--optimise",
                "--flink-config a=b",
                "--sub-groups 16",
                "--block-sub-groups 1",
                "--batch-megabytes 8",
                "--step-millis 50"
            })
    void whatOnlyConcernsProcessesThatWeStartIsRefusedEvenWithItsDefault(String option) {
        assertRefused(MECES + KAFKA + " " + option)
                .hasMessageContaining(option.split(" ")[0] + " is for processes");
        assertThatCode(options(option)::validate).doesNotThrowAnyException();
    }

    @Test
    void thePresetOfThePaperIsAcceptedAndWhatIsGivenGoesBeforeIt() {
        KeyCountOptions options = valid(MECES + KAFKA + " --preset paper --keys 100000 --to 28");

        assertThat(options.from()).isEqualTo(25);
        assertThat(options.to()).isEqualTo(28);
        assertThat(options.keys()).isEqualTo(100_000);
        assertThat(options.rate()).isEqualTo(800_000);
        assertThat(options.partitions()).isEqualTo(25);
        assertThat(options.slots()).isEqualTo(28);
    }

    @Test
    void moreKeysThanTheHeapOfTheCommandHoldsAreRefused() {
        assertRefused(MECES + KAFKA + " --keys " + Integer.MAX_VALUE)
                .hasMessageContaining("MECES_JAVA_OPTS");
    }

    private static String address(KeyCountOptions options, String mechanism) {
        return options.cluster.addressOf(
                Mechanism.parse(mechanism, "netty"), options.transitionService);
    }

    private static KeyCountOptions valid(String line) {
        KeyCountOptions options = options(line);
        options.validate();
        return options;
    }

    private static AbstractThrowableAssert<?, ?> assertRefused(String line) {
        return assertThatThrownBy(options(line)::validate);
    }

    private static KeyCountOptions options(String line) {
        KeyCountOptions options = new KeyCountOptions();
        new CommandLine(options)
                .setCaseInsensitiveEnumValuesAllowed(true)
                .parseArgs(line.split(" "));
        return options;
    }
}
