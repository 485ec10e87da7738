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

import java.io.File;
import java.io.IOException;
import javax.annotation.Nullable;
import org.apache.flink.client.deployment.application.ApplicationClusterEntryPoint;
import org.apache.flink.client.deployment.application.ClassPathPackagedProgramRetriever;
import org.apache.flink.client.program.PackagedProgram;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.entrypoint.component.DispatcherResourceManagerComponentFactory;
import org.apache.flink.runtime.resourcemanager.ResourceManagerFactory;
import org.apache.flink.util.FlinkException;

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

    /**
     * The application on this machine.
     *
     * @param userLib the directory with its jars; null if they are in {@code lib}
     * @param jar which one it is; null if its main class is looked for in all of them
     * @param mainClass null if the jar says which it is
     */
    static PackagedProgram program(
            Configuration configuration,
            String[] arguments,
            @Nullable File userLib,
            @Nullable File jar,
            @Nullable String mainClass)
            throws IOException, FlinkException, ReflectiveOperationException {
        return retriever(arguments, configuration)
                .setUserLibDirectory(userLib)
                .setJarFile(jar)
                .setJobClassName(mainClass)
                .build()
                .getPackagedProgram();
    }

    /** Flink 1.12.0 does not ask for the configuration. */
    private static ClassPathPackagedProgramRetriever.Builder retriever(
            String[] arguments, Configuration configuration) throws ReflectiveOperationException {
        Class<?> retriever = ClassPathPackagedProgramRetriever.class;
        Object builder;
        try {
            builder =
                    retriever
                            .getMethod("newBuilder", String[].class, Configuration.class)
                            .invoke(null, arguments, configuration);
        } catch (NoSuchMethodException e) {
            builder =
                    retriever
                            .getMethod("newBuilder", String[].class)
                            .invoke(null, (Object) arguments);
        }
        return (ClassPathPackagedProgramRetriever.Builder) builder;
    }
}
