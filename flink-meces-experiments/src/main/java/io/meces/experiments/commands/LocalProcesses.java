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
