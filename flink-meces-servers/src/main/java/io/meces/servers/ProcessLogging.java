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
