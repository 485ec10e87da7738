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

package io.meces.experiments.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Where an experiment leaves its report. */
public final class ReportFolder {

    private ReportFolder() {}

    /**
     * Creates a folder, unless it is there, and makes sure that it can be written to, before an
     * experiment takes minutes.
     *
     * @param option of the command line that names another one
     * @throws IOException with the folder, the reason and the remedy, if it cannot
     */
    public static void create(Path folder, String option) throws IOException {
        try {
            Files.createDirectories(folder);
            Files.delete(Files.createTempFile(folder, "writable", null));
        } catch (IOException e) {
            throw new IOException(
                    "The report cannot be written to "
                            + folder
                            + " ("
                            + e
                            + "). Let user "
                            + System.getProperty("user.name")
                            + " write there, or name another place with "
                            + option
                            + ".",
                    e);
        }
    }
}
