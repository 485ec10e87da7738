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

import io.meces.cli.ExitCodes;
import io.meces.experiments.cluster.Installation;
import io.meces.experiments.soak.Soak;
import io.meces.experiments.soak.SoakOptions;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code meces soak}. */
@Command(
        name = "soak",
        description = {
            "Rescales a job under load, kills its TaskManagers and takes savepoints, at random and"
                    + " for as long as you like; then checks that each record was counted exactly"
                    + " once.",
            "Starts Kafka, a JobManager and TaskManagers on free ports of 127.0.0.1, with data in a"
                    + " temporary directory, and stops them at the end."
        },
        mixinStandardHelpOptions = true,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:Exact, and all rescales and savepoints came to their end.",
            "1:Not so, or the soak itself failed.",
            "2:The command line is wrong."
        })
final class SoakCommand implements Callable<Integer> {

    @Spec private CommandSpec spec;
    @Mixin private SoakOptions options;

    @Override
    public Integer call() throws Exception {
        Installation installation = LocalProcesses.prepare(spec, options::validate);
        return new Soak(options, installation, spec.commandLine().getOut()).run().isSuccess()
                ? ExitCodes.OK
                : ExitCodes.FAILED;
    }
}
