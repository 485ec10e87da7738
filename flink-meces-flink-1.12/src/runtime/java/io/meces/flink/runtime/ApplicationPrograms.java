// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import java.io.File;
import java.io.IOException;
import javax.annotation.Nullable;
import org.apache.flink.client.deployment.application.ClassPathPackagedProgramRetriever;
import org.apache.flink.client.program.PackagedProgram;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.util.FlinkException;

/** The program of an application that is on this machine. Has no state. */
public final class ApplicationPrograms {

    private ApplicationPrograms() {}

    /**
     * Looks for it.
     *
     * @param userLib the directory with its jars; null if they are in {@code lib}
     * @param jar which one it is; null if its main class is looked for in all of them
     * @param mainClass null if the jar says which it is
     */
    public static PackagedProgram find(
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
