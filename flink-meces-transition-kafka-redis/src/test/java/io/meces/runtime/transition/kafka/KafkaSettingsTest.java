// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.transition.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.runtime.MecesOptions;
import java.util.Map;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.GlobalConfiguration;
import org.junit.jupiter.api.Test;

/** What of the configuration reaches which Kafka client. */
class KafkaSettingsTest {

    private static final String JAAS =
            "org.apache.kafka.common.security.scram.ScramLoginModule required"
                    + " username=\"u\" password=\"org.apache\";";

    private final Configuration configuration = new Configuration();

    KafkaSettingsTest() {
        configuration.set(MecesOptions.KAFKA_BOOTSTRAP_SERVERS, "broker:9092");
    }

    private KafkaSettings settings() {
        return new KafkaSettings(configuration, "io.meces.shaded.org.apache.kafka.");
    }

    @Test
    void classNamesOfKafkaAreTranslatedToWhereTheClassesAre() {
        configuration.setString("meces.kafka.secret.sasl.jaas.config", JAAS);
        configuration.setString(
                "meces.kafka.sasl.login.callback.handler.class",
                "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginCallbackHandler");
        configuration.setString("meces.kafka.sasl.kerberos.service.name", "org.apache.kafka.x");

        Map<String, Object> client = settings().producer("id");

        assertThat(client)
                .containsEntry(
                        "sasl.jaas.config",
                        "io.meces.shaded.org.apache.kafka.common.security.scram.ScramLoginModule"
                                + " required username=\"u\" password=\"org.apache\";")
                .containsEntry(
                        "sasl.login.callback.handler.class",
                        "io.meces.shaded.org.apache.kafka.common.security.oauthbearer"
                                + ".OAuthBearerLoginCallbackHandler")
                .containsEntry("sasl.kerberos.service.name", "org.apache.kafka.x");
    }

    @Test
    void withoutShadingClassNamesStayAsTheyAre() {
        configuration.setString("meces.kafka.secret.sasl.jaas.config", JAAS);

        assertThat(new KafkaSettings(configuration).admin())
                .containsEntry("sasl.jaas.config", JAAS);
    }

    @Test
    void secretsAreMaskedWhereFlinkShowsItsConfiguration() {
        assertThat(GlobalConfiguration.isSensitive("meces.kafka.secret.sasl.jaas.config")).isTrue();
        assertThat(GlobalConfiguration.isSensitive(MecesOptions.REDIS_PASSWORD.key())).isTrue();
        assertThat(GlobalConfiguration.isSensitive(MecesOptions.REDIS_SENTINEL_PASSWORD.key()))
                .isTrue();
        assertThat(GlobalConfiguration.isSensitive(MecesOptions.REDIS_KEYSTORE_PASSWORD.key()))
                .isTrue();
        assertThat(GlobalConfiguration.isSensitive(MecesOptions.REDIS_TRUSTSTORE_PASSWORD.key()))
                .isTrue();
    }

    @Test
    void clientsGetWhatTheyKnowAndWhatTheServiceReliesOnStays() {
        configuration.setString("meces.kafka.security.protocol", "SSL");
        configuration.setString("meces.kafka.acks", "0");
        configuration.setString("meces.kafka.enable.idempotence", "false");
        configuration.setString("meces.kafka.transactional.id", "mine");
        configuration.setString("meces.kafka.batch.size", "7");
        configuration.setString("meces.kafka.group.id", "mine");
        configuration.setString("meces.kafka.fetch.max.wait.ms", "9");
        configuration.setString("meces.kafka.a.plug.in", "x");

        assertThat(settings().producer("id"))
                .containsEntry("bootstrap.servers", "broker:9092")
                .containsEntry("security.protocol", "SSL")
                .containsEntry("acks", "all")
                .containsEntry("enable.idempotence", "true")
                .containsEntry("linger.ms", "0")
                .containsEntry("batch.size", "7")
                .containsEntry("a.plug.in", "x")
                .doesNotContainKeys("transactional.id", "group.id", "fetch.max.wait.ms");
        assertThat(settings().consumer("id"))
                .containsEntry("security.protocol", "SSL")
                .containsEntry("fetch.max.wait.ms", "9")
                .containsEntry("enable.auto.commit", "false")
                .doesNotContainKeys("group.id", "acks", "batch.size");
        assertThat(settings().admin())
                .containsEntry("security.protocol", "SSL")
                .doesNotContainKeys("acks", "group.id", "batch.size");
    }
}
