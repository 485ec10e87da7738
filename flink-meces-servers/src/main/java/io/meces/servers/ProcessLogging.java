// SPDX-License-Identifier: Apache-2.0
package io.meces.servers;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** The log configuration of started processes. */
public final class ProcessLogging {
    private static final String NAME = "log4j2-process.properties";

    private ProcessLogging() {}

    /** Writes the configuration into a directory and returns the file. */
    public static Path write(Path directory) throws IOException {
        Path file = directory.resolve(NAME);
        try (InputStream in = ProcessLogging.class.getResourceAsStream(NAME)) {
            Files.copy(in, file, StandardCopyOption.REPLACE_EXISTING);
        }
        return file;
    }
}
