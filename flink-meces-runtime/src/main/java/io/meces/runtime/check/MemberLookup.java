// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.check;

import io.meces.flink.runtime.ClassFile;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Modifier;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import javax.annotation.Nullable;

/**
 * Looks for classes and their members, of whatever visibility, by what is written in {@link
 * FlinkInternals}. Reads class files, each one only once, and loads no class: that would link it,
 * load others in turn, and fail where an optional dependency is missing. Owned by one thread.
 */
final class MemberLookup {

    private static final int CLOSED = Modifier.FINAL | Modifier.PRIVATE | Modifier.STATIC;

    private final ClassLoader loader;
    private final Map<String, Content> contents = new HashMap<>();

    MemberLookup(ClassLoader loader) {
        this.loader = loader;
    }

    /** What is wrong with the class or member, and what there is instead; null if nothing is. */
    @Nullable
    String problem(String name, boolean extended) {
        String className = declaringClass(name);
        Content content = contents.computeIfAbsent(className, this::read);
        if (content.failure != null) {
            return "missing: " + name + "; found: " + content.failure;
        }
        boolean finalClass = Modifier.isFinal(content.access);
        if (name.equals(className)) {
            return extended && finalClass ? closed(name, "a final class") : null;
        }
        Integer access = content.members.get(name);
        if (access == null) {
            return "missing: " + name + "; found: " + similar(name, content.members);
        }
        if (!extended || !finalClass && (access & CLOSED) == 0) {
            return null;
        }
        String modifiers = Modifier.toString(access & Modifier.methodModifiers());
        return closed(name, finalClass ? "a final class" : "a method that is " + modifiers);
    }

    private static String closed(String name, String found) {
        return "cannot be extended or overridden: " + name + "; found: " + found;
    }

    private Content read(String className) {
        try (InputStream in = loader.getResourceAsStream(className.replace('.', '/') + ".class")) {
            if (in == null) {
                return new Content(className, "no class " + className);
            }
            Content content = new Content(className, null);
            ClassFile.read(in, content);
            return content;
        } catch (IOException | IllegalArgumentException e) {
            return new Content(className, "a class that cannot be read: " + e);
        }
    }

    /** The class that a line speaks of. */
    static String declaringClass(String name) {
        String head = head(name);
        int space = head.indexOf(' ');
        return space < 0 ? head : head.substring(space + 1, head.lastIndexOf('.'));
    }

    private static String head(String name) {
        int parameters = name.indexOf('(');
        return parameters < 0 ? name : name.substring(0, parameters);
    }

    /** The members of the same name. */
    private static String similar(String member, Map<String, Integer> declared) {
        String found =
                declared.keySet().stream()
                        .filter(other -> name(other).equals(name(member)))
                        .collect(Collectors.joining("; "));
        return found.isEmpty() ? "nothing of that name" : found;
    }

    /** With the class, without types: what differs between overloads is left out. */
    private static String name(String member) {
        String head = head(member);
        return head.substring(head.indexOf(' ') + 1);
    }

    /** What a class declares, or why that cannot be said. */
    private static final class Content implements ClassFile.Members {

        private final String className;
        @Nullable final String failure;
        int access;

        /** The members with their access flags. */
        final Map<String, Integer> members = new LinkedHashMap<>();

        Content(String className, @Nullable String failure) {
            this.className = className;
            this.failure = failure;
        }

        @Override
        public void type(int flags) {
            access = flags;
        }

        @Override
        public void field(int flags, String name, String descriptor) {
            members.put(FlinkInternals.field(className, name, descriptor), flags);
        }

        @Override
        public void method(int flags, String name, String descriptor) {
            members.put(FlinkInternals.method(className, name, descriptor), flags);
        }
    }
}
