// SPDX-License-Identifier: Apache-2.0
package io.meces.core.simulation;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * The product's classes and the simulation's, with fragments of their sources replaced. What has
 * changed is compiled in memory; all of them are loaded anew, so that they use it.
 */
final class Mutant extends ClassLoader {

    private static final String OURS = "io.meces.";

    /** A fragment of the sources that is to be replaced, wherever it stands. */
    static final class Replacement {
        private final String fragment;
        private final String by;

        /**
         * @param fragment what stands in the sources exactly once; spaces and line breaks do not
         *     count
         */
        Replacement(String fragment, String by) {
            this.fragment = fragment;
            this.by = by;
        }
    }

    private final Map<String, byte[]> changed;

    /**
     * @throws IllegalArgumentException if a fragment is not there exactly once, or what it has
     *     become does not compile
     */
    Mutant(List<Replacement> replacements) throws IOException {
        super(Mutant.class.getClassLoader());
        Map<String, String> sources = sources(replacements);
        changed = sources.isEmpty() ? new HashMap<>() : compile(sources);
    }

    /**
     * The sources that change, with their fragments replaced, by type.
     *
     * @throws IllegalArgumentException if a fragment is not there exactly once
     */
    static Map<String, String> sources(List<Replacement> replacements) throws IOException {
        Map<String, String> changed = new LinkedHashMap<>();
        for (Replacement replacement : replacements) {
            List<Source> found =
                    Sources.ALL.stream()
                            .filter(source -> source.has(replacement.fragment))
                            .collect(Collectors.toList());
            if (found.size() != 1) {
                throw new IllegalArgumentException(
                        (found.isEmpty() ? "No source has the" : "Several sources have the")
                                + " fragment: "
                                + replacement.fragment
                                + found);
            }
            Source source = found.get(0);
            Source before = new Source(source.type, changed.getOrDefault(source.type, source.text));
            changed.put(source.type, before.with(replacement));
        }
        return changed;
    }

    /** The sources of the module as they are: fragments are sought in them. */
    private static final class Sources {
        static final List<Source> ALL = read();

        private static List<Source> read() {
            try {
                URI classes =
                        Mutant.class.getProtectionDomain().getCodeSource().getLocation().toURI();
                Path module = Paths.get(classes).getParent().getParent();
                List<Source> all = new ArrayList<>();
                for (String root : Arrays.asList("src/main/java", "src/test/java")) {
                    Path folder = module.resolve(root);
                    try (Stream<Path> files = Files.walk(folder)) {
                        for (Path file : files.filter(Sources::counts).toArray(Path[]::new)) {
                            all.add(
                                    new Source(
                                            folder.relativize(file)
                                                    .toString()
                                                    .replaceAll("\\.java$", "")
                                                    .replace(File.separatorChar, '.'),
                                            new String(
                                                    Files.readAllBytes(file),
                                                    StandardCharsets.UTF_8)));
                        }
                    }
                }
                return all;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } catch (URISyntaxException e) {
                throw new IllegalStateException(e);
            }
        }

        /** Not tests, nor the one that quotes the others. */
        private static boolean counts(Path file) {
            String name = file.getFileName().toString();
            return name.endsWith(".java")
                    && !name.endsWith("Test.java")
                    && !name.equals(Variant.class.getSimpleName() + ".java");
        }
    }

    // ------------------------------------------------------------------------
    //  Loading
    // ------------------------------------------------------------------------

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!name.startsWith(OURS)) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            return loaded == null ? findClass(name) : loaded;
        }
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
        byte[] bytes = changed.get(name);
        if (bytes == null) {
            bytes = shipped(name);
        }
        return defineClass(name, bytes, 0, bytes.length);
    }

    private byte[] shipped(String name) throws ClassNotFoundException {
        try (InputStream in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
            if (in == null) {
                throw new ClassNotFoundException(name);
            }
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            byte[] buffer = new byte[8192];
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                bytes.write(buffer, 0, n);
            }
            return bytes.toByteArray();
        } catch (IOException e) {
            throw new ClassNotFoundException(name, e);
        }
    }

    // ------------------------------------------------------------------------
    //  Compiling
    // ------------------------------------------------------------------------

    private static Map<String, byte[]> compile(Map<String, String> sources) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        if (compiler == null) {
            throw new IllegalStateException("There is no Java compiler: run it with a JDK.");
        }
        DiagnosticCollector<JavaFileObject> problems = new DiagnosticCollector<>();
        try (StandardJavaFileManager files =
                        compiler.getStandardFileManager(problems, null, StandardCharsets.UTF_8);
                Memory memory = new Memory(files)) {
            String classPath =
                    System.getProperty(
                            "surefire.test.class.path", System.getProperty("java.class.path"));
            boolean compiled =
                    compiler.getTask(
                                    null,
                                    memory,
                                    problems,
                                    Arrays.asList(
                                            "--release",
                                            "8",
                                            "-proc:none",
                                            "-nowarn",
                                            "-cp",
                                            classPath),
                                    null,
                                    sources.entrySet().stream()
                                            .map(e -> new Source(e.getKey(), e.getValue()))
                                            .collect(Collectors.toList()))
                            .call();
            if (!compiled) {
                throw new IllegalArgumentException(
                        problems.getDiagnostics().stream()
                                .filter(p -> p.getKind() == Diagnostic.Kind.ERROR)
                                .map(Object::toString)
                                .collect(Collectors.joining("\n")));
            }
            return memory.classes.entrySet().stream()
                    .collect(Collectors.toMap(Map.Entry::getKey, e -> e.getValue().toByteArray()));
        }
    }

    private static final class Source extends SimpleJavaFileObject {
        private final String type;
        private final String text;
        private final String dense;

        private Source(String type, String text) {
            super(URI.create("memory:///" + type.replace('.', '/') + ".java"), Kind.SOURCE);
            this.type = type;
            this.text = text;
            this.dense = dense(text);
        }

        private static String dense(String text) {
            StringBuilder dense = new StringBuilder();
            text.chars()
                    .filter(c -> !Character.isWhitespace(c))
                    .forEach(c -> dense.append((char) c));
            return dense.toString();
        }

        boolean has(String fragment) {
            return dense.contains(dense(fragment));
        }

        /**
         * The source with the fragment replaced.
         *
         * @throws IllegalArgumentException if it has the fragment not once
         */
        String with(Replacement replacement) {
            String sought = dense(replacement.fragment);
            int first = dense.indexOf(sought);
            if (first < 0 || dense.indexOf(sought, first + 1) >= 0) {
                throw new IllegalArgumentException(
                        type
                                + " has "
                                + (first < 0 ? "no " : "more than one ")
                                + "fragment: "
                                + replacement.fragment);
            }
            return text.substring(0, position(first))
                    + replacement.by
                    + text.substring(position(first + sought.length() - 1) + 1);
        }

        /** Where the character stands that is so far in the text without spaces. */
        private int position(int inDense) {
            int position = -1;
            for (int left = inDense; left >= 0; left--) {
                do {
                    position++;
                } while (Character.isWhitespace(text.charAt(position)));
            }
            return position;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }

        @Override
        public String toString() {
            return " " + type;
        }
    }

    /** Keeps what the compiler writes. */
    private static final class Memory extends ForwardingJavaFileManager<JavaFileManager> {
        private final Map<String, ByteArrayOutputStream> classes = new HashMap<>();

        private Memory(JavaFileManager files) {
            super(files);
        }

        @Override
        public JavaFileObject getJavaFileForOutput(
                Location location, String name, JavaFileObject.Kind kind, FileObject sibling) {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            classes.put(name, bytes);
            return new SimpleJavaFileObject(URI.create("memory:///" + name), kind) {
                @Override
                public OutputStream openOutputStream() {
                    return bytes;
                }
            };
        }
    }
}
