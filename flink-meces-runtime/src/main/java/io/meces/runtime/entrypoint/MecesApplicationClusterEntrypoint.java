// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.entrypoint;

import org.apache.flink.client.deployment.application.ApplicationClusterEntryPoint;
import org.apache.flink.client.program.PackagedProgram;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.entrypoint.component.DispatcherResourceManagerComponentFactory;
import org.apache.flink.runtime.resourcemanager.ResourceManagerFactory;

/**
 * A JobManager that runs the {@code main()} of one application, whose jobs can be rescaled while
 * they run. It takes the place of Flink's, which is the same for all resource managers. (FLIP-85)
 */
class MecesApplicationClusterEntrypoint extends ApplicationClusterEntryPoint {

    private final PackagedProgram program;
    private final ResourceManagerFactory<?> resourceManagers;

    /**
     * A JobManager that is not started yet.
     *
     * @throws Exception if the application cannot be configured
     */
    MecesApplicationClusterEntrypoint(
            Configuration configuration,
            PackagedProgram program,
            ResourceManagerFactory<?> resourceManagers)
            throws Exception {
        super(withExecution(configuration, program), program, resourceManagers);
        this.program = program;
        this.resourceManagers = resourceManagers;
    }

    private static Configuration withExecution(Configuration configuration, PackagedProgram program)
            throws Exception {
        Configuration complete = new Configuration(configuration);
        configureExecution(complete, program);
        return complete;
    }

    /** As in Flink, with the elastic scheduler and our REST handlers. */
    @Override
    protected final DispatcherResourceManagerComponentFactory
            createDispatcherResourceManagerComponentFactory(Configuration configuration) {
        return MecesComponents.application(configuration, program, resourceManagers);
    }
}
