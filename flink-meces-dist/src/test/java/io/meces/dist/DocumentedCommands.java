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

package io.meces.dist;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The commands that stand in a document of ours, by section. */
final class DocumentedCommands {
    private final Map<String, List<String>> commands = new LinkedHashMap<>();

    /** The lines of the code blocks that are marked as bash. */
    DocumentedCommands(Path document) throws IOException {
        String section = "";
        boolean code = false;
        for (String line : Files.readAllLines(document, StandardCharsets.UTF_8)) {
            if (line.startsWith("```")) {
                code = line.equals("```bash");
            } else if (code) {
                commands.computeIfAbsent(section, name -> new ArrayList<>()).add(line);
            } else if (line.startsWith("## ")) {
                section = line.substring(3);
            }
        }
    }

    /**
     * Those of a section, in order.
     *
     * @throws IllegalArgumentException if it has none
     */
    List<String> of(String section) {
        List<String> found = commands.get(section);
        if (found == null) {
            throw new IllegalArgumentException("No commands in the section " + section);
        }
        return found;
    }
}
