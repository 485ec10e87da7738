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

package io.meces.cli;

import io.meces.cli.rest.JobManagerClient;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Which JobManager to talk to. */
final class JobManagerOption {

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(
            names = "--jobmanager",
            paramLabel = "HOST:PORT",
            defaultValue = "127.0.0.1:8081",
            description = "REST address of the JobManager. Default: ${DEFAULT-VALUE}.")
    private String address;

    JobManagerClient client() {
        try {
            return new JobManagerClient(address);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(
                    spec.commandLine(), "--jobmanager takes HOST:PORT, not " + address + ".", e);
        }
    }
}
