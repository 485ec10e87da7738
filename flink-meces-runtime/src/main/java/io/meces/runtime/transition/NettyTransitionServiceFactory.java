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

package io.meces.runtime.transition;

import io.meces.runtime.MecesOptions;
import java.net.InetAddress;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.net.SSLUtils;

/**
 * Makes a {@link NettyTransitionService} at the configured port, with mutual TLS if {@code
 * security.ssl.internal.enabled} is set, by Flink's own keys.
 */
public final class NettyTransitionServiceFactory implements TransitionServiceFactory {

    /** Its name in {@link MecesOptions#TRANSITION_SERVICE}. */
    public static final String NAME = "netty";

    @Override
    public NettyTransitionService create(
            InetAddress host, Configuration configuration, TransitionMetrics metrics)
            throws Exception {
        return new NettyTransitionService(
                host,
                configuration.get(MecesOptions.TRANSITION_PORT),
                metrics,
                SSLUtils.isInternalSSLEnabled(configuration)
                        ? new NettyTransitionService.Tls(
                                SSLUtils.createInternalServerSSLEngineFactory(configuration),
                                SSLUtils.createInternalClientSSLEngineFactory(configuration))
                        : null,
                ConnectionTimes.DEFAULT,
                NettyTransitionService.MAX_INBOUND);
    }
}
