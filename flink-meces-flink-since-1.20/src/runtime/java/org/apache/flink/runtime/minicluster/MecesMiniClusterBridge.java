// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.runtime.minicluster;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;
import javax.annotation.Nullable;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.entrypoint.component.DispatcherResourceManagerComponentFactory;
import org.apache.flink.runtime.highavailability.HighAvailabilityServices;

/** A mini cluster that is put together from other components. */
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
    protected DispatcherResourceManagerComponentFactory
            createDispatcherResourceManagerComponentFactory() {
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
        cluster.startTaskManager();
    }

    /** Ends a TaskManager; they are numbered from 0 in the order in which they were started. */
    public static CompletableFuture<Void> terminateTaskManager(MiniCluster cluster, int index) {
        return cluster.terminateTaskManager(index);
    }

    /** A TaskManager that is started later could not talk to one that has no data port. */
    @Override
    protected boolean useLocalCommunication() {
        return false;
    }
}
