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

package io.meces.runtime.warmup;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import org.apache.flink.util.IOUtils;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JarClassesTest {

    /** Belongs to a part of Flink that is not installed. */
    private static class Absent {}

    private static final class OfAbsentPart extends Absent {}

    private static final class OfEveryInstallation {}

    @Test
    void loadsTheOtherClassesWhereAPartOfFlinkIsNotInstalled(@TempDir Path directory)
            throws Exception {
        File jar =
                jar(
                        directory.resolve("classes.jar"),
                        OfAbsentPart.class,
                        OfEveryInstallation.class);
        ClassLoader withoutTests = ClassLoader.getSystemClassLoader().getParent();

        try (URLClassLoader loader =
                new URLClassLoader(new URL[] {jar.toURI().toURL()}, withoutTests)) {
            assertThat(JarClasses.load(jar, loader)).isEqualTo(1);
        }
    }

    private static File jar(Path file, Class<?>... classes) throws IOException {
        try (OutputStream out = Files.newOutputStream(file);
                JarOutputStream jar = new JarOutputStream(out)) {
            for (Class<?> each : classes) {
                String name = each.getName().replace('.', '/') + ".class";
                jar.putNextEntry(new JarEntry(name));
                try (InputStream in = each.getClassLoader().getResourceAsStream(name)) {
                    IOUtils.copyBytes(in, jar, false);
                }
                jar.closeEntry();
            }
        }
        return file.toFile();
    }
}
