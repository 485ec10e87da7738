// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.entrypoint;

import io.meces.flink.runtime.Dispatchers;
import io.meces.flink.runtime.JobManagerRunners;
import io.meces.runtime.MecesOptions;
import io.meces.runtime.rest.MecesApplicationRestEndpointFactory;
import io.meces.runtime.rest.MecesRestEndpointFactory;
import io.meces.runtime.scheduler.ConfiguredRescales;
import io.meces.runtime.scheduler.MecesSchedulerFactory;
import io.meces.runtime.warmup.WarmUp;
import org.apache.flink.client.deployment.application.ApplicationDispatcherLeaderProcessFactoryFactory;
import org.apache.flink.client.program.PackagedProgram;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.IllegalConfigurationException;
import org.apache.flink.configuration.JobManagerOptions;
import org.apache.flink.runtime.dispatcher.runner.DefaultDispatcherRunnerFactory;
import org.apache.flink.runtime.entrypoint.component.DefaultDispatcherResourceManagerComponentFactory;
import org.apache.flink.runtime.entrypoint.component.DispatcherResourceManagerComponentFactory;
import org.apache.flink.runtime.entrypoint.component.JobGraphRetriever;
import org.apache.flink.runtime.resourcemanager.ResourceManagerFactory;
import org.apache.flink.runtime.resourcemanager.StandaloneResourceManagerFactory;
import org.apache.flink.runtime.shuffle.ShuffleServiceOptions;

/** What a JobManager process is put together from. */
public final class MecesComponents {

    /**
     * The value that {@code shuffle-service-factory.class} must have on every JobManager and
     * TaskManager.
     */
    public static final String SHUFFLE_SERVICE_FACTORY =
            "io.meces.runtime.shuffle.ElasticShuffleServiceFactory";

    private static final JobManagerRunners RUNNERS =
            new JobManagerRunners(new MecesSchedulerFactory());

    private MecesComponents() {}

    /**
     * Looks whether a JobManager can run with a configuration, otherwise the first job would fail
     * of it; and warms it up.
     *
     * @throws IllegalConfigurationException if the data plane is not the elastic one, another
     *     scheduler is asked for, or an option for rescales cannot be
     */
    private static void prepare(Configuration configuration) {
        String dataPlane = configuration.get(ShuffleServiceOptions.SHUFFLE_SERVICE_FACTORY_CLASS);
        if (!dataPlane.equals(SHUFFLE_SERVICE_FACTORY)) {
            // Else the first job would fail, on a TaskManager and with an obscure message.
            throw new IllegalConfigurationException(
                    ShuffleServiceOptions.SHUFFLE_SERVICE_FACTORY_CLASS.key()
                            + " is "
                            + dataPlane
                            + ". Set it to "
                            + SHUFFLE_SERVICE_FACTORY
                            + " in the configuration of every JobManager and TaskManager.");
        }
        Object scheduler = configuration.get(JobManagerOptions.SCHEDULER);
        if (!scheduler.equals(JobManagerOptions.SCHEDULER.defaultValue())) {
            throw new IllegalConfigurationException(
                    JobManagerOptions.SCHEDULER.key()
                            + " is "
                            + scheduler
                            + ", but flink-meces brings its scheduler with it. Remove the option from"
                            + " the configuration, or start the JobManager with Flink's own main"
                            + " class.");
        }
        ConfiguredRescales.settings(configuration);
        WarmUp.ofJobManager();
    }

    /**
     * Has rescales wait for slots as long as they can, unless it is configured how long: slots come
     * with containers, which take as long as they take.
     */
    static Configuration awaitingContainers(Configuration configuration) {
        if (!configuration.contains(MecesOptions.SLOT_TIMEOUT)) {
            configuration.set(
                    MecesOptions.SLOT_TIMEOUT,
                    ConfiguredRescales.longestSlotTimeout(configuration));
        }
        return configuration;
    }

    /** The components of a session cluster on this JVM. Looks at nothing. */
    public static DefaultDispatcherResourceManagerComponentFactory session() {
        return session(StandaloneResourceManagerFactory.getInstance());
    }

    /** The components of a session cluster. */
    static DefaultDispatcherResourceManagerComponentFactory session(
            Configuration configuration, ResourceManagerFactory<?> resourceManagers) {
        prepare(configuration);
        return session(resourceManagers);
    }

    private static DefaultDispatcherResourceManagerComponentFactory session(
            ResourceManagerFactory<?> resourceManagers) {
        return new DefaultDispatcherResourceManagerComponentFactory(
                DefaultDispatcherRunnerFactory.createSessionRunner(Dispatchers.session(RUNNERS)),
                resourceManagers,
                new MecesRestEndpointFactory());
    }

    /** The components of a cluster for one job, which came with it. */
    static DefaultDispatcherResourceManagerComponentFactory job(
            Configuration configuration,
            JobGraphRetriever jobGraph,
            ResourceManagerFactory<?> resourceManagers) {
        prepare(configuration);
        return new DefaultDispatcherResourceManagerComponentFactory(
                Dispatchers.job(RUNNERS, jobGraph),
                resourceManagers,
                new MecesApplicationRestEndpointFactory());
    }

    /** The components of a cluster for one application. */
    static DispatcherResourceManagerComponentFactory application(
            Configuration configuration,
            PackagedProgram program,
            ResourceManagerFactory<?> resourceManagers) {
        prepare(configuration);
        return new DefaultDispatcherResourceManagerComponentFactory(
                new DefaultDispatcherRunnerFactory(
                        ApplicationDispatcherLeaderProcessFactoryFactory.create(
                                configuration, Dispatchers.session(RUNNERS), program)),
                resourceManagers,
                new MecesApplicationRestEndpointFactory());
    }
}
