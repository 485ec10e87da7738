// SPDX-License-Identifier: Apache-2.0
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
