// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.transition;

import io.meces.core.exchange.TransitionAddress;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.Logger;
import org.apache.logging.log4j.core.appender.AbstractAppender;
import org.apache.logging.log4j.core.config.Configurator;
import org.apache.logging.log4j.core.config.Property;

/** What the service logs about a peer. */
final class ServiceLog extends AbstractAppender {
    private final List<String> lines = new CopyOnWriteArrayList<>();

    ServiceLog() {
        super("test", null, null, true, Property.EMPTY_ARRAY);
    }

    private static Logger logger() {
        return (Logger) LogManager.getLogger(NettyTransitionService.class);
    }

    void attach() {
        start();
        Configurator.setLevel(logger().getName(), Level.INFO);
        logger().addAppender(this);
    }

    void detach() {
        logger().removeAppender(this);
        Configurator.setLevel(logger().getName(), Level.WARN);
    }

    @Override
    public void append(LogEvent event) {
        lines.add(event.getLevel() + " " + event.getMessage().getFormattedMessage());
    }

    String last(TransitionAddress peer) {
        List<String> all = of(peer);
        return all.get(all.size() - 1);
    }

    List<String> of(TransitionAddress peer) {
        return lines.stream()
                .filter(line -> line.contains(peer.toString()))
                .filter(line -> !line.contains("listens"))
                .collect(Collectors.toList());
    }
}
