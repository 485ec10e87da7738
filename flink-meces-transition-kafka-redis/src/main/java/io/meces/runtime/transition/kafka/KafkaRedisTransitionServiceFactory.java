// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.transition.kafka;

import io.meces.runtime.transition.TransitionMetrics;
import io.meces.runtime.transition.TransitionServiceFactory;
import java.net.InetAddress;
import org.apache.flink.configuration.Configuration;

/** Makes a {@link KafkaRedisTransitionService} at the configured servers. */
public final class KafkaRedisTransitionServiceFactory implements TransitionServiceFactory {

    @Override
    public String name() {
        return KAFKA_REDIS;
    }

    @Override
    public KafkaRedisTransitionService create(
            InetAddress host, Configuration configuration, TransitionMetrics metrics)
            throws Exception {
        return KafkaRedisTransitionService.connect(configuration, metrics);
    }
}
