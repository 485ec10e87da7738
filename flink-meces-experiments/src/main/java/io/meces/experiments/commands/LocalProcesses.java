// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.commands;

import io.meces.experiments.cluster.Installation;
import java.nio.file.Paths;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** What the commands have in common that start processes or jobs from our jars. */
final class LocalProcesses {

    private LocalProcesses() {}

    /**
     * What they are started from, if the options make sense.
     *
     * @param validation throws an {@link IllegalArgumentException} if they do not
     * @throws ParameterException then, with its message
     */
    static Installation prepare(CommandSpec spec, Runnable validation) {
        try {
            validation.run();
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
        return new Installation(Paths.get(System.getProperty("meces.home", "")));
    }
}
