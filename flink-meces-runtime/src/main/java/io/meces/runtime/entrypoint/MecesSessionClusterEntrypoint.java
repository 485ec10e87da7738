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

import io.meces.runtime.warmup.WarmUp;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.IllegalConfigurationException;
import org.apache.flink.runtime.entrypoint.ClusterEntrypoint;
import org.apache.flink.runtime.entrypoint.ClusterEntrypointUtils;
import org.apache.flink.runtime.entrypoint.EntrypointClusterConfiguration;
import org.apache.flink.runtime.entrypoint.EntrypointClusterConfigurationParserFactory;
import org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint;
import org.apache.flink.runtime.entrypoint.component.DefaultDispatcherResourceManagerComponentFactory;
import org.apache.flink.runtime.util.EnvironmentInformation;
import org.apache.flink.runtime.util.JvmShutdownSafeguard;
import org.apache.flink.runtime.util.SignalHandler;

/**
 * The main class of a JobManager whose jobs can be rescaled while they run. It takes the place of
 * {@link StandaloneSessionClusterEntrypoint} and understands the same arguments: {@code --configDir
 * DIR}, {@code --host}, {@code --webui-port} and {@code -Dkey=value}.
 */
public class MecesSessionClusterEntrypoint extends StandaloneSessionClusterEntrypoint {

    public MecesSessionClusterEntrypoint(Configuration configuration) {
        super(configuration);
    }

    /**
     * As in Flink, with the elastic scheduler and our REST handlers.
     *
     * @throws IllegalConfigurationException if the data plane is not the elastic one, another
     *     scheduler is asked for, or an option for rescales cannot be
     */
    @Override
    protected DefaultDispatcherResourceManagerComponentFactory
            createDispatcherResourceManagerComponentFactory(Configuration configuration) {
        MecesComponents.check(configuration);
        WarmUp.ofJobManager();
        return MecesComponents.session();
    }

    /** Runs the JobManager until the cluster is shut down; the process then exits. */
    public static void main(String[] args) {
        EnvironmentInformation.logEnvironmentInfo(
                LOG, MecesSessionClusterEntrypoint.class.getSimpleName(), args);
        SignalHandler.register(LOG);
        JvmShutdownSafeguard.installAsShutdownHook(LOG);
        MecesComponents.checkFlinkOrExit(STARTUP_FAILURE_RETURN_CODE);
        EntrypointClusterConfiguration arguments =
                ClusterEntrypointUtils.parseParametersOrExit(
                        args,
                        new EntrypointClusterConfigurationParserFactory(),
                        MecesSessionClusterEntrypoint.class);
        ClusterEntrypoint.runClusterEntrypoint(
                new MecesSessionClusterEntrypoint(loadConfiguration(arguments)));
    }
}
