// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.transition;

import io.meces.runtime.MecesOptions;
import java.net.InetAddress;
import java.util.ServiceLoader;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.IllegalConfigurationException;

/** Makes the {@link TransitionService} of a TaskManager, when that starts. */
@FunctionalInterface
public interface TransitionServiceFactory {

    /** The name of the service in {@code flink-meces-transition-kafka-redis}. */
    String KAFKA_REDIS = "kafka-redis";

    /**
     * Makes a service that can be reached.
     *
     * @param host what this TaskManager is bound to
     * @param configuration of the TaskManager
     * @param metrics where the service counts
     * @throws Exception if the service, or a server that it needs, cannot be reached, naming the
     *     address and the remedy; the TaskManager then does not start
     */
    TransitionService create(
            InetAddress host, Configuration configuration, TransitionMetrics metrics)
            throws Exception;

    /**
     * What {@link MecesOptions#TRANSITION_SERVICE} calls it, if it is found by the {@link
     * ServiceLoader}. Its class is always understood.
     */
    default String name() {
        return getClass().getName();
    }

    /**
     * The factory that {@link MecesOptions#TRANSITION_SERVICE} names.
     *
     * @throws IllegalConfigurationException if it names none, or one whose jar is missing, saying
     *     what to do
     */
    static TransitionServiceFactory of(Configuration configuration) {
        String name = configuration.get(MecesOptions.TRANSITION_SERVICE);
        if (name.equals(NettyTransitionServiceFactory.NAME)) {
            return new NettyTransitionServiceFactory();
        }
        for (TransitionServiceFactory factory :
                ServiceLoader.load(
                        TransitionServiceFactory.class,
                        TransitionServiceFactory.class.getClassLoader())) {
            if (factory.name().equals(name)) {
                return factory;
            }
        }
        if (name.equals(KAFKA_REDIS)) {
            throw new IllegalConfigurationException(
                    MecesOptions.TRANSITION_SERVICE.key()
                            + " is kafka-redis, whose jar is not in Flink's lib directory. On every"
                            + " TaskManager: cp opt/flink-meces-transition-kafka-redis-*.jar"
                            + " $FLINK_HOME/lib/, from the distribution of flink-meces.");
        }
        try {
            return Class.forName(name)
                    .asSubclass(TransitionServiceFactory.class)
                    .getConstructor()
                    .newInstance();
        } catch (ReflectiveOperationException | ClassCastException e) {
            throw new IllegalConfigurationException(
                    MecesOptions.TRANSITION_SERVICE.key()
                            + " is '"
                            + name
                            + "'; set it to netty or kafka-redis, or to the name of a class that implements "
                            + TransitionServiceFactory.class.getName()
                            + " and has a public constructor without parameters.",
                    e);
        }
    }
}
