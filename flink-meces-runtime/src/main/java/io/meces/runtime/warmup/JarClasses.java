// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.warmup;

import java.io.File;
import java.io.IOException;
import java.io.ObjectStreamClass;
import java.util.Collections;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Loads and initialises the classes of a jar. Java's serialization makes code for each class that
 * it meets first: it meets them here.
 */
final class JarClasses {

    private static final Logger LOG = LoggerFactory.getLogger(JarClasses.class);

    /** Where the lib jar has the clients of a transition service that is maybe not used. */
    private static final String LIBRARIES = "io/meces/shaded/";

    private JarClasses() {}

    /**
     * Loads all but shaded libraries, and what is for a part of Flink that is not installed, such
     * as YARN.
     *
     * @param loader finds the classes of the jar
     * @return how many were loaded
     */
    static int load(File file, ClassLoader loader) throws IOException {
        int loaded = 0;
        try (JarFile jar = new JarFile(file)) {
            for (JarEntry entry : Collections.list(jar.entries())) {
                String name = entry.getName();
                if (name.endsWith(".class")
                        && !name.endsWith("-info.class")
                        && !name.startsWith(LIBRARIES)
                        && load(name.substring(0, name.length() - 6).replace('/', '.'), loader)) {
                    loaded++;
                }
            }
        }
        return loaded;
    }

    private static boolean load(String name, ClassLoader loader) {
        try {
            ObjectStreamClass.lookup(Class.forName(name, true, loader));
            return true;
        } catch (ClassNotFoundException | LinkageError absent) {
            LOG.debug("Not loaded: {}", name, absent);
            return false;
        }
    }
}
