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

import io.meces.cli.MoreCommands;
import picocli.CommandLine;

/** The demo, the soak and the experiments as commands of {@code meces}. */
public final class ExperimentCommands implements MoreCommands {

    @Override
    public void addTo(CommandLine meces) {
        meces.addSubcommand(new DemoCommand())
                .addSubcommand(new SoakCommand())
                .addSubcommand(new BenchCommand())
                .addSubcommand(new AutoscaleCommand());
    }
}
