// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.transition;

import io.meces.core.exchange.TransitionAddress;
import io.meces.core.id.AttemptId;
import java.net.InetAddress;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.flink.configuration.Configuration;

/**
 * Makes Netty services that are reached through a network that can hang, in all directions at once.
 */
public final class ProxiedNettyServiceFactory implements TransitionServiceFactory {

    private static final List<Proxied> MADE = new CopyOnWriteArrayList<>();

    @Override
    public TransitionService create(
            InetAddress host, Configuration configuration, TransitionMetrics metrics)
            throws Exception {
        Proxied service =
                new Proxied(
                        new NettyTransitionServiceFactory().create(host, configuration, metrics));
        MADE.add(service);
        return service;
    }

    /** Whether the network carries nothing, of all services that were made in this JVM. */
    public static void stall(boolean stall) {
        MADE.forEach(service -> service.proxy.stall(stall));
    }

    /** Netty's service, with another address. */
    private static final class Proxied implements TransitionService {
        private final NettyTransitionService service;
        private final TcpProxy proxy;

        private Proxied(NettyTransitionService service) throws Exception {
            this.service = service;
            this.proxy = new TcpProxy(service.address(), 0);
        }

        @Override
        public TransitionAddress address() {
            return proxy.address();
        }

        @Override
        public void register(AttemptId task, TransitionInbox inbox) {
            service.register(task, inbox);
        }

        @Override
        public void unregister(AttemptId task) {
            service.unregister(task);
        }

        @Override
        public void prepare(TransitionAddress to) {
            service.prepare(to);
        }

        @Override
        public void send(TransitionAddress to, TransitionMessage message) {
            service.send(to, message);
        }

        @Override
        public void release(TransitionAddress to, TransitionMessage message) {
            service.release(to, message);
        }

        @Override
        public void close() {
            MADE.remove(this);
            proxy.close();
            service.close();
        }
    }
}
