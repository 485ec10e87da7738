// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.transition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.meces.runtime.MecesOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.IllegalConfigurationException;
import org.junit.jupiter.api.Test;

class TransitionServiceFactoryTest {

    @Test
    void isFoundByNameOrClass() {
        assertThat(of("netty")).isInstanceOf(NettyTransitionServiceFactory.class);
        assertThat(of(FaultyTransitionServiceFactory.class.getName()))
                .isInstanceOf(FaultyTransitionServiceFactory.class);
    }

    /** Its jar is not on the class path of these tests. */
    @Test
    void aMissingJarIsNamedWithTheRemedy() {
        assertThatThrownBy(() -> of("kafka-redis"))
                .isInstanceOf(IllegalConfigurationException.class)
                .hasMessageContaining("meces.transition-service")
                .hasMessageContaining(
                        "cp opt/flink-meces-transition-kafka-redis-*.jar $FLINK_HOME/lib/");
    }

    @Test
    void anUnknownNameIsRefused() {
        assertThatThrownBy(() -> of("pigeon"))
                .isInstanceOf(IllegalConfigurationException.class)
                .hasMessageContaining("'pigeon'")
                .hasMessageContaining("netty or kafka-redis");
    }

    private static TransitionServiceFactory of(String name) {
        Configuration configuration = new Configuration();
        configuration.set(MecesOptions.TRANSITION_SERVICE, name);
        return TransitionServiceFactory.of(configuration);
    }
}
