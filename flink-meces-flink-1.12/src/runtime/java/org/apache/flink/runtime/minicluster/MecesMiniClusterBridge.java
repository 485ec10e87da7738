// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.runtime.minicluster;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;
import javax.annotation.Nullable;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.concurrent.FutureUtils;
import org.apache.flink.runtime.entrypoint.component.DispatcherResourceManagerComponentFactory;
import org.apache.flink.runtime.highavailability.HighAvailabilityServices;
import org.apache.flink.util.ExceptionUtils;

/**
 * A mini cluster that is put together from other components. Lives in this package for the hook
 * {@code createDispatcherResourceManagerComponentFactory}, which is package-private.
 */
public final class MecesMiniClusterBridge extends MiniCluster {

    private final DispatcherResourceManagerComponentFactory components;
    @Nullable private final Function<Executor, HighAvailabilityServices> highAvailability;

    /**
     * A cluster that is not started yet.
     *
     * @param highAvailability null: as the configuration says
     */
    public MecesMiniClusterBridge(
            MiniClusterConfiguration configuration,
            DispatcherResourceManagerComponentFactory components,
            @Nullable Function<Executor, HighAvailabilityServices> highAvailability) {
        super(configuration);
        this.components = components;
        this.highAvailability = highAvailability;
    }

    @Override
    DispatcherResourceManagerComponentFactory createDispatcherResourceManagerComponentFactory() {
        return components;
    }

    @Override
    protected HighAvailabilityServices createHighAvailabilityServices(
            Configuration configuration, Executor executor) throws Exception {
        return highAvailability == null
                ? super.createHighAvailabilityServices(configuration, executor)
                : highAvailability.apply(executor);
    }

    /** Starts one more TaskManager. */
    public static void startTaskManager(MiniCluster cluster) throws Exception {
        callAny(cluster, new String[] {"startTaskManager", "startTaskExecutor"});
    }

    /** Ends a TaskManager; they are numbered from 0 in the order in which they were started. */
    @SuppressWarnings("unchecked")
    public static CompletableFuture<Void> terminateTaskManager(MiniCluster cluster, int index) {
        try {
            return (CompletableFuture<Void>)
                    callAny(
                            cluster,
                            new String[] {"terminateTaskManager", "terminateTaskExecutor"},
                            index);
        } catch (Exception e) {
            return FutureUtils.completedExceptionally(e);
        }
    }

    /** Flink has changed these names between patch releases. */
    private static Object callAny(MiniCluster cluster, String[] names, Integer... arguments)
            throws Exception {
        for (Method method : MiniCluster.class.getDeclaredMethods()) {
            if (Arrays.asList(names).contains(method.getName())
                    && method.getParameterCount() == arguments.length) {
                try {
                    return method.invoke(cluster, (Object[]) arguments);
                } catch (InvocationTargetException e) {
                    ExceptionUtils.rethrowException(e.getCause());
                }
            }
        }
        throw new NoSuchMethodException(Arrays.toString(names));
    }

    /** A TaskManager that is started later could not talk to one that has no data port. */
    @Override
    protected boolean useLocalCommunication() {
        return false;
    }
}
