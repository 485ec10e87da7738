// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.meces.flink.runtime.FlinkLine;
import io.meces.state.MecesStateBackend;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.IntUnaryOperator;
import java.util.regex.Pattern;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.runtime.operators.util.BitSet;
import org.apache.flink.util.AbstractID;
import org.apache.flink.util.Disposable;
import org.apache.flink.util.FlinkRuntimeException;
import org.apache.flink.util.MathUtils;
import org.apache.flink.util.TernaryBoolean;
import org.apache.flink.util.function.TriFunction;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Keeps the list of what we need from Flink up to date, or writes it anew if told to. */
class FlinkInternalsTest {

    private static final ClassLoader LOADER = FlinkInternalsTest.class.getClassLoader();
    private static final Path FILE =
            Paths.get(
                    System.getProperty("basedir", ""),
                    "..",
                    "flink-meces-flink-" + FlinkLine.NAME,
                    "src",
                    "runtime",
                    "resources",
                    FlinkInternals.RESOURCE);
    private static final String UPDATE = "flink-internals.update";
    private static final String COMMAND =
            "mvn -pl "
                    + (FlinkLine.NAME.equals("1.12")
                            ? "flink-meces-runtime"
                            : "flink-meces-flink-" + FlinkLine.NAME)
                    + " -am test -Dtest=FlinkInternalsTest -D"
                    + UPDATE
                    + "=true -Dsurefire.failIfNoSpecifiedTests=false";

    /** Refers to Flink in several ways. */
    @SuppressWarnings("unused")
    static class Fixture extends AbstractID {

        long inherited() {
            return getLowerPart() + lowerPart;
        }

        TriFunction<String, String, String, String> lambda() {
            return (a, b, c) -> a + b + c;
        }

        IntUnaryOperator methodReference() {
            return MathUtils::murmurHash;
        }

        Object types(Object value) {
            try {
                return value instanceof MemorySize[] ? TernaryBoolean.class : (BitSet) value;
            } catch (FlinkRuntimeException e) {
                return null;
            }
        }

        @Override
        public int compareTo(AbstractID other) {
            return 0;
        }
    }

    /** Has a method that only its subclass knows to be Flink's. */
    static class Base {
        public void dispose() {}
    }

    /** Takes what it implements from its superclass. */
    static class Derived extends Base implements Disposable {}

    private static List<String> generated;

    @BeforeAll
    static void generate() throws IOException {
        generated = FlinkReferences.of(LOADER, StartupCheck.class, MecesStateBackend.class);
        // only 1.12.0 declares it
        generated.removeIf(reference -> reference.contains("getSubpartitionBufferRecyclers"));
        if (Boolean.getBoolean(UPDATE)) {
            write();
        }
    }

    @Test
    void listsWhatTheByteCodeRefersTo() throws IOException {
        FlinkInternals internals = listed();
        List<String> listed = new ArrayList<>();
        internals.used().forEach(member -> listed.add(FlinkInternals.USES + member));
        internals.extended().forEach(member -> listed.add(FlinkInternals.EXTENDS + member));
        Collections.sort(listed);
        assertThat(listed)
                .withFailMessage(
                        () ->
                                FILE
                                        + " is not up to date.\nMissing:"
                                        + lines(minus(generated, listed))
                                        + "\nSuperfluous (or of classes that are gone, until mvn"
                                        + " clean):"
                                        + lines(minus(listed, generated))
                                        + "\nTo write it anew:\n  "
                                        + COMMAND)
                .isEqualTo(generated);
    }

    @Test
    void theListCanBeTaken() throws IOException {
        FlinkInternals internals = listed();
        assertThat(internals.used())
                .contains(
                        "org.apache.flink.runtime.resourcemanager.StandaloneResourceManagerFactory "
                                + "org.apache.flink.runtime.resourcemanager."
                                + "StandaloneResourceManagerFactory.getInstance()");
        assertThat(internals.extended())
                .contains("org.apache.flink.runtime.minicluster.MiniCluster")
                .contains(
                        "boolean org.apache.flink.runtime.minicluster.MiniCluster"
                                + ".useLocalCommunication()");
    }

    @Test
    void findsReferencesOfAllKinds() {
        String id = AbstractID.class.getName();
        assertThat(FlinkReferences.of(LOADER, Fixture.class))
                .contains(
                        FlinkInternals.EXTENDS + id,
                        FlinkInternals.USES + id + "()",
                        FlinkInternals.USES + "long " + id + ".getLowerPart()",
                        FlinkInternals.USES + "long " + id + ".lowerPart",
                        FlinkInternals.EXTENDS + "int " + id + ".compareTo(" + id + ")",
                        FlinkInternals.EXTENDS
                                + "java.lang.Object org.apache.flink.util.function.TriFunction.apply("
                                + "java.lang.Object, java.lang.Object, java.lang.Object)",
                        FlinkInternals.USES + "int org.apache.flink.util.MathUtils.murmurHash(int)",
                        FlinkInternals.USES + "org.apache.flink.configuration.MemorySize",
                        FlinkInternals.USES + "org.apache.flink.util.TernaryBoolean",
                        FlinkInternals.USES + "org.apache.flink.runtime.operators.util.BitSet",
                        FlinkInternals.USES + "org.apache.flink.util.FlinkRuntimeException",
                        FlinkInternals.EXTENDS + "void org.apache.flink.util.Disposable.dispose()")
                .isSorted()
                .doesNotHaveDuplicates()
                .noneMatch(line -> line.contains("io.meces"));
    }

    @Test
    void refusesALineThatItDoesNotUnderstand() {
        List<String> lines = Arrays.asList("# comment", "", "~a.B", "-()", "needs int c()");
        assertThatThrownBy(() -> FlinkInternals.parse(lines))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("needs int c()");
        assertThatThrownBy(() -> FlinkInternals.parse(Arrays.asList("-()", "~a.B")))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void refusesAnEmptyList() {
        assertThatThrownBy(() -> FlinkInternals.parse(Collections.singletonList("# comment")))
                .isInstanceOf(IllegalStateException.class);
    }

    private static void write() throws IOException {
        List<String> lines = new ArrayList<>();
        lines.add("# What flink-meces refers to in Flink. FlinkInternalsTest writes it.");
        lines.addAll(byClass(generated));
        Files.createDirectories(FILE.getParent());
        Files.write(FILE, (String.join("\n", lines) + "\n").getBytes(StandardCharsets.UTF_8));
    }

    /** As {@link FlinkInternals} reads them. */
    private static List<String> byClass(List<String> references) {
        Map<String, Set<String>> members = new TreeMap<>();
        for (String reference : references) {
            String kind = reference.substring(0, 1);
            String rest = reference.substring(kind.length());
            String className = MemberLookup.declaringClass(rest);
            String member =
                    rest.equals(className) || rest.startsWith(className + "(")
                            ? rest.substring(className.length())
                            : rest.replaceFirst(Pattern.quote(" " + className + "."), " ");
            Set<String> ofClass = members.computeIfAbsent(className, c -> new TreeSet<>());
            if (!reference.equals(FlinkInternals.USES + className)) {
                ofClass.add(kind + member);
            }
        }
        List<String> lines = new ArrayList<>();
        members.forEach(
                (className, of) -> {
                    lines.add(className);
                    lines.addAll(of);
                });
        lines.replaceAll(FlinkInternalsTest::shortened);
        return lines;
    }

    private static String shortened(String line) {
        String shortened = line;
        for (int i = FlinkInternals.SHORT.length - 2; i >= 0; i -= 2) {
            shortened = shortened.replace(FlinkInternals.SHORT[i + 1], FlinkInternals.SHORT[i]);
        }
        return shortened;
    }

    private static FlinkInternals listed() throws IOException {
        return FlinkInternals.parse(Files.readAllLines(FILE, StandardCharsets.UTF_8));
    }

    private static List<String> minus(List<String> lines, List<String> others) {
        List<String> rest = new ArrayList<>(lines);
        rest.removeAll(new HashSet<>(others));
        return rest;
    }

    private static String lines(List<String> lines) {
        return lines.isEmpty() ? " none" : "\n  " + String.join("\n  ", lines);
    }
}
