// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.transition;

import io.meces.flink.runtime.InternalTls;
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
                InternalTls.isEnabled(configuration)
                        ? new NettyTransitionService.Tls(
                                SSLUtils.createInternalServerSSLEngineFactory(configuration),
                                SSLUtils.createInternalClientSSLEngineFactory(configuration))
                        : null,
                ConnectionTimes.DEFAULT,
                NettyTransitionService.MAX_INBOUND);
    }
}
