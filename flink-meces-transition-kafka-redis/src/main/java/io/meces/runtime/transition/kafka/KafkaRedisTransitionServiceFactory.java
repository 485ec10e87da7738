/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
 * in compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License
 * is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
 * or implied. See the License for the specific language governing permissions and limitations under
 * the License.
 */

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
