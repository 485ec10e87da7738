// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.check;

import io.meces.flink.runtime.ClassFile;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The classes and members of Flink that the byte code of flink-meces refers to. {@link
 * StartupCheck} looks for all of them. They are in a resource of our jar, which {@code
 * FlinkInternalsTest} writes when it runs with {@code -Dflink-internals.update=true}. There each
 * class has a line, and below it there is one for each of its members, without the name of the
 * class. These begin with {@link #USES} or {@link #EXTENDS}; the latter alone stands for the class.
 * Immutable.
 *
 * <p>A class is written with its full name, a method {@code returnType
 * declaringClass.name(parameterTypes)}, a constructor {@code declaringClass(parameterTypes)}, a
 * field {@code type declaringClass.name}: with full names, nested classes behind a dollar sign,
 * erased types, {@code ", "} between parameters. The declaring class is the one whose source has
 * the member, not one that inherits it.
 */
final class FlinkInternals {

    static final String RESOURCE = "META-INF/flink-meces/flink-internals.txt";

    /** What a line starts with, before a class or member that is used. */
    static final String USES = "-";

    /** What a line starts with, before a class that is extended or a method that is overridden. */
    static final String EXTENDS = "+";

    private static final String FLINK = "org.apache.flink.";

    /**
     * What stands in the list for what follows it here: our jar is small. It is put in from the
     * last one to the first, and replaced from the first one to the last.
     */
    static final String[] SHORT = {
        "*", " get",
        ":", "Configuration",
        "<", "State",
        ">", "Checkpoint",
        "@", "^io.network.",
        "!", "^state.",
        ";", "^checkpoint.",
        "=", "^executiongraph.",
        "?", "~streaming.",
        "^", "~runtime.",
        "~", FLINK,
        "%", "java.lang.",
        "&", "java.util.",
        ",", ", "
    };

    private static final String COMMENT = "#";

    private final List<String> used;
    private final List<String> extended;

    FlinkInternals(List<String> used, List<String> extended) {
        this.used = Collections.unmodifiableList(new ArrayList<>(used));
        this.extended = Collections.unmodifiableList(new ArrayList<>(extended));
    }

    /**
     * Reads the list of our jar.
     *
     * @throws IllegalStateException if it has none, or none that can be read
     */
    static FlinkInternals read() {
        ClassLoader loader = FlinkInternals.class.getClassLoader();
        List<String> lines = new ArrayList<>();
        try (InputStream in = loader.getResourceAsStream(RESOURCE)) {
            if (in == null) {
                throw new IllegalStateException("The jar of flink-meces has no " + RESOURCE);
            }
            BufferedReader reader =
                    new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                lines.add(line);
            }
        } catch (IOException e) {
            throw new IllegalStateException("Cannot read " + RESOURCE, e);
        }
        return parse(lines);
    }

    /**
     * Takes the lines of the resource.
     *
     * @throws IllegalStateException if one is of no known kind, or there is nothing in them
     */
    static FlinkInternals parse(List<String> lines) {
        List<String> used = new ArrayList<>();
        List<String> extended = new ArrayList<>();
        String className = null;
        for (String shortLine : lines) {
            String line = shortLine;
            for (int i = 0; i < SHORT.length; i += 2) {
                line = line.replace(SHORT[i], SHORT[i + 1]);
            }
            if (line.startsWith(USES) && className != null) {
                used.add(ofClass(className, line.substring(USES.length())));
            } else if (line.startsWith(EXTENDS) && className != null) {
                extended.add(ofClass(className, line.substring(EXTENDS.length())));
            } else if (!line.isEmpty() && !line.startsWith(COMMENT)) {
                if (!line.startsWith(FLINK) || line.contains(" ")) {
                    throw new IllegalStateException("Not understood in " + RESOURCE + ": " + line);
                }
                className = line;
                used.add(line);
            }
        }
        if (used.isEmpty()) {
            throw new IllegalStateException("Nothing is listed in " + RESOURCE);
        }
        return new FlinkInternals(used, extended);
    }

    /** Puts the name of the class where it was left out. */
    private static String ofClass(String className, String member) {
        int name = member.indexOf(' ') + 1;
        return member.isEmpty() || member.startsWith("(")
                ? className + member
                : member.substring(0, name) + className + "." + member.substring(name);
    }

    /** What must be there. */
    List<String> used() {
        return used;
    }

    /** What must be there and open: classes not final; methods not final, private or static. */
    List<String> extended() {
        return extended;
    }

    /** How a method or constructor is written. */
    static String method(String className, String name, String descriptor) {
        String parameters =
                ClassFile.parametersOf(descriptor).stream()
                        .collect(Collectors.joining(", ", "(", ")"));
        return name.equals("<init>")
                ? className + parameters
                : ClassFile.returnTypeOf(descriptor) + " " + className + "." + name + parameters;
    }

    /** How a field is written. */
    static String field(String className, String name, String descriptor) {
        return ClassFile.typeOf(descriptor) + " " + className + "." + name;
    }
}
