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

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code meces bench}. */
@Command(
        name = "bench",
        description = "Runs a benchmark, on this machine or on clusters.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "BENCHMARK",
        subcommands = {
            KeyCountBenchCommand.class,
            NexmarkBenchCommand.class,
            SaturationBenchCommand.class
        })
final class BenchCommand implements Runnable {

    @Spec private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Which benchmark?");
    }
}
