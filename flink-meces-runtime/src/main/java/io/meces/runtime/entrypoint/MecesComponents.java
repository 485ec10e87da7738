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

package io.meces.runtime.entrypoint;

import io.meces.runtime.check.StartupCheck;
import io.meces.runtime.rescale.RescaleSettings;
import io.meces.runtime.rest.MecesApplicationRestEndpointFactory;
import io.meces.runtime.rest.MecesRestEndpointFactory;
import org.apache.flink.client.deployment.application.ApplicationDispatcherLeaderProcessFactoryFactory;
import org.apache.flink.client.program.PackagedProgram;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.IllegalConfigurationException;
import org.apache.flink.configuration.JobManagerOptions;
import org.apache.flink.runtime.dispatcher.runner.DefaultDispatcherRunnerFactory;
import org.apache.flink.runtime.entrypoint.component.DefaultDispatcherResourceManagerComponentFactory;
import org.apache.flink.runtime.entrypoint.component.DispatcherResourceManagerComponentFactory;
import org.apache.flink.runtime.resourcemanager.ResourceManagerFactory;
import org.apache.flink.runtime.resourcemanager.StandaloneResourceManagerFactory;
import org.apache.flink.runtime.shuffle.ShuffleServiceOptions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a JobManager process is put together from. */
public final class MecesComponents {

    /**
     * The value that {@code shuffle-service-factory.class} must have on every JobManager and
     * TaskManager.
     */
    public static final String SHUFFLE_SERVICE_FACTORY =
            "io.meces.runtime.shuffle.ElasticShuffleServiceFactory";

    private static final Logger LOG = LoggerFactory.getLogger(MecesComponents.class);

    private MecesComponents() {}

    /**
     * Looks whether a JobManager can run with a configuration; otherwise the first job would fail
     * of it.
     *
     * @throws IllegalConfigurationException if the data plane is not the elastic one, another
     *     scheduler is asked for, or an option for rescales cannot be
     */
    static void check(Configuration configuration) {
        String dataPlane =
                configuration.getString(ShuffleServiceOptions.SHUFFLE_SERVICE_FACTORY_CLASS);
        if (!dataPlane.equals(SHUFFLE_SERVICE_FACTORY)) {
            // Else the first job would fail, on a TaskManager and with an obscure message.
            throw new IllegalConfigurationException(
                    ShuffleServiceOptions.SHUFFLE_SERVICE_FACTORY_CLASS.key()
                            + " is "
                            + dataPlane
                            + ". Set it to "
                            + SHUFFLE_SERVICE_FACTORY
                            + " in flink-conf.yaml of every JobManager and TaskManager.");
        }
        String scheduler = configuration.getString(JobManagerOptions.SCHEDULER);
        if (!scheduler.equals(JobManagerOptions.SCHEDULER.defaultValue())) {
            throw new IllegalConfigurationException(
                    JobManagerOptions.SCHEDULER.key()
                            + " is "
                            + scheduler
                            + ", but flink-meces brings its scheduler with it. Remove the option from"
                            + " flink-conf.yaml, or start the JobManager with Flink's own main"
                            + " class.");
        }
        RescaleSettings.from(configuration);
    }

    /** Ends the process if this Flink is not one that we can run with. */
    static void checkFlinkOrExit(int exitCode) {
        try {
            StartupCheck.run();
        } catch (IllegalStateException e) {
            LOG.error("The JobManager was not started.", e);
            System.exit(exitCode);
        }
    }

    /** Dispatcher, resource manager and REST endpoint of a standalone session cluster. */
    public static DefaultDispatcherResourceManagerComponentFactory session() {
        return new DefaultDispatcherResourceManagerComponentFactory(
                DefaultDispatcherRunnerFactory.createSessionRunner(new MecesDispatcherFactory()),
                StandaloneResourceManagerFactory.getInstance(),
                new MecesRestEndpointFactory());
    }

    /** Dispatcher, resource manager and REST endpoint of a cluster for one application. */
    static DispatcherResourceManagerComponentFactory application(
            Configuration configuration,
            PackagedProgram program,
            ResourceManagerFactory<?> resourceManagers) {
        return new DefaultDispatcherResourceManagerComponentFactory(
                new DefaultDispatcherRunnerFactory(
                        ApplicationDispatcherLeaderProcessFactoryFactory.create(
                                configuration, new MecesDispatcherFactory(), program)),
                resourceManagers,
                new MecesApplicationRestEndpointFactory());
    }
}
