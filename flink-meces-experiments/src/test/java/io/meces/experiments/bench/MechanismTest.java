// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import io.meces.core.plan.Repartitioning;
import io.meces.experiments.cluster.FlinkCluster;
import io.meces.experiments.cluster.FlinkLine;
import io.meces.runtime.MecesOptions;
import io.meces.runtime.shuffle.ElasticShuffleServiceFactory;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import org.apache.flink.configuration.MemorySize;
import org.junit.jupiter.api.Test;

class MechanismTest {

    @Test
    void aServiceBehindAColonTakesThePlaceOfTheDefault() {
        assertThat(Mechanism.parse("meces", "netty")).hasToString("meces");
        assertThat(Mechanism.parse("meces:kafka-redis", "netty")).hasToString("meces:kafka-redis");
        assertThat(Mechanism.parse("order-unaware", "kafka-redis"))
                .hasToString("order-unaware:kafka-redis")
                .isEqualTo(Mechanism.parse("order-unaware:kafka-redis", "netty"));
    }

    @Test
    void stepsAreAsLargeAsThoseOfTheRuntimeByDefault() {
        KeyCountOptions options = new KeyCountOptions();

        // it is left to the configuration, which --flink-config or a cluster may have
        assertThat(options.batchSize).isNull();
        assertThat(MecesOptions.BATCH_SIZE.defaultValue()).isEqualTo(16);
        assertThat(MemorySize.ofMebiBytes(options.batchMegabytes))
                .isEqualTo(MecesOptions.BATCH_BYTES.defaultValue());
        assertThat(Duration.ofMillis(options.stepMillis))
                .isEqualTo(MecesOptions.STEP_DURATION.defaultValue());
    }

    @Test
    void onlyMecesFetchesOnDemandAndOnlyTheBlocksAreLarge() {
        assertThat(settings("meces"))
                .containsEntry("meces.migration.order", "DEMAND")
                .containsEntry("meces.migration.batch-bytes", "8mb")
                .containsEntry("meces.migration.step-duration", "50 ms")
                .containsEntry("meces.state.sub-groups", "16");
        assertThat(settings("order-unaware"))
                .containsEntry("meces.migration.order", "SEQUENTIAL")
                .containsEntry("meces.migration.batch-bytes", Long.MAX_VALUE + "b")
                .containsEntry("meces.migration.step-duration", "1 d")
                .containsEntry("meces.state.sub-groups", "1");
        assertThat(settings("order-unaware-gradual"))
                .containsEntry("meces.migration.order", "SEQUENTIAL")
                .containsEntry("meces.migration.batch-bytes", "8mb")
                .containsEntry("meces.migration.step-duration", "50 ms")
                .containsEntry("meces.state.sub-groups", "1");
        assertThat(settings("native")).isEmpty();
    }

    @Test
    void theAdaptiveSchedulerIsThatOfALaterFlink() {
        assertThat(settings("adaptive")).containsOnly(entry("jobmanager.scheduler", "adaptive"));
        assertThat(settings("adaptive-tuned"))
                .containsEntry("jobmanager.scheduler", "adaptive")
                .containsEntry("jobmanager.adaptive-scheduler.scaling-interval.min", "0 s")
                .containsEntry("state.backend.local-recovery", "true");
        Mechanism tuned = Mechanism.parse("adaptive-tuned", "netty");
        assertThat(tuned.checkpointIntervalMillis(new KeyCountOptions())).isEqualTo(1_000);

        tuned.requireLine(FlinkLine.V1_20);
        assertThatThrownBy(() -> tuned.requireLine(FlinkLine.V1_12))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "adaptive-tuned needs --flink 1.20 or 2.3: Flink 1.12 has no such"
                                + " scheduler.");
        assertThat(misfit("adaptive", Collections.emptyMap()))
                .isEqualTo("jobmanager.scheduler has to be adaptive.");
        assertThat(misfit("adaptive", Collections.singletonMap("jobmanager.scheduler", "Adaptive")))
                .isNull();
        assertThat(misfit("adaptive", elastic())).contains("stock Flink");
        assertThatThrownBy(() -> Mechanism.parse("adaptive:kafka-redis", "netty"))
                .hasMessage("adaptive has no transition service.");
    }

    private static Map<String, String> settings(String mechanism) {
        FlinkCluster.Spec spec = new FlinkCluster.Spec();
        Mechanism.parse(mechanism, "netty").applyTo(spec, new KeyCountOptions());
        return spec.config();
    }

    @Test
    void aClusterThatIsSetUpForAMechanismIsTaken() {
        Map<String, String> demand = elastic();
        assertThat(misfit("meces", demand)).isNull();
        assertThat(misfit("meces/uniform", demand)).isNull();
        demand.put("meces.migration.order", "demand");
        assertThat(misfit("meces", demand)).isNull();
        Map<String, String> sequential = elastic();
        sequential.put("meces.migration.order", "SEQUENTIAL");
        assertThat(misfit("order-unaware-gradual", sequential)).isNull();
        sequential.put("meces.migration.batch-bytes", "1tb");
        sequential.put("meces.migration.step-duration", "1 h");
        assertThat(misfit("order-unaware", sequential)).isNull();
        Map<String, String> kafkaRedis = elastic();
        kafkaRedis.put("meces.transition-service", "kafka-redis");
        assertThat(misfit("meces:kafka-redis", kafkaRedis)).isNull();
        assertThat(misfit("native", Collections.singletonMap("state.backend", "filesystem")))
                .isNull();
        assertThat(misfit("native", Collections.emptyMap())).isNull();
    }

    @Test
    void aClusterThatIsSetUpForSomethingElseIsToldWhatIsWrong() {
        assertThat(misfit("meces", Collections.emptyMap()))
                .contains("shuffle-service-factory.class");
        assertThat(misfit("native", elastic())).contains("stock Flink");
        assertThat(misfit("order-unaware", elastic()))
                .contains("meces.migration.order has to be SEQUENTIAL, and is DEMAND");
        Map<String, String> sequential = elastic();
        sequential.put("meces.migration.order", "SEQUENTIAL");
        assertThat(misfit("meces", sequential)).contains("has to be DEMAND");
        assertThat(misfit("order-unaware", sequential)).contains("meces.migration.batch-bytes");
        sequential.put("meces.migration.batch-bytes", "1tb");
        assertThat(misfit("order-unaware", sequential)).contains("meces.migration.step-duration");
        assertThat(misfit("meces:kafka-redis", elastic()))
                .contains("meces.transition-service has to be kafka-redis, and is netty");
    }

    /** What the user guide has people write into the configuration. */
    private static Map<String, String> elastic() {
        Map<String, String> configuration = new HashMap<>();
        configuration.put(
                "shuffle-service-factory.class", ElasticShuffleServiceFactory.class.getName());
        return configuration;
    }

    private static String misfit(String mechanism, Map<String, String> configuration) {
        return Mechanism.parse(mechanism, "netty").misfit(configuration);
    }

    @Test
    void nativeHasNoService() {
        assertThat(Mechanism.parse("native", "kafka-redis")).hasToString("native");
        assertThatThrownBy(() -> Mechanism.parse("native:netty", "netty"))
                .hasMessageContaining("no transition service");
    }

    @Test
    void aStrategyStandsBehindASlash() {
        Mechanism uniform = Mechanism.parse("meces/uniform:kafka-redis", "netty");

        assertThat(uniform.strategy).isEqualTo("uniform");
        assertThat(uniform)
                .hasToString("meces/uniform:kafka-redis")
                .isEqualTo(Mechanism.parse("meces/uniform", "kafka-redis"))
                .isNotEqualTo(Mechanism.parse("meces", "kafka-redis"))
                .isNotEqualTo(Mechanism.parse("meces/minimal-move", "kafka-redis"));
        assertThat(Mechanism.parse("order-unaware", "netty").strategy).isNull();
        assertThatThrownBy(() -> Mechanism.parse("native/uniform", "netty"))
                .hasMessageContaining("no repartition strategy");
    }

    @Test
    void allStrategiesOfTheRuntimeCanBeCompared() {
        assertThat(Mechanism.STRATEGIES).containsExactlyElementsOf(Repartitioning.names());
    }

    @Test
    void whatThereIsNotIsNamed() {
        assertThatThrownBy(() -> Mechanism.parse("magic", "netty"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("magic")
                .hasMessageContaining("order-unaware");
        assertThatThrownBy(() -> Mechanism.parse("meces:pigeon", "netty"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("pigeon");
        assertThatThrownBy(() -> Mechanism.parse("meces/at-random", "netty"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("at-random")
                .hasMessageContaining("consistent-hashing");
    }
}
