// SPDX-License-Identifier: Apache-2.0
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
