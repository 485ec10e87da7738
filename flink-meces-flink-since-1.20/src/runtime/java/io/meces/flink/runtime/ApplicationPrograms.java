// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import java.io.File;
import java.io.IOException;
import javax.annotation.Nullable;
import org.apache.flink.client.program.DefaultPackagedProgramRetriever;
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
        return DefaultPackagedProgramRetriever.create(
                        userLib, jar, mainClass, arguments, configuration)
                .getPackagedProgram();
    }
}
