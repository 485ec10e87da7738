// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.AccessTarget;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.properties.HasModifiers;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.Location;
import io.meces.api.RescaleRequest;
import io.meces.core.plan.Assignment;
import io.meces.state.MecesStateBackend;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Holds the arrows between packages, and keeps the classes in Flink's packages few and thin. */
class HouseTest {

    private static final Path HOME = Paths.get(System.getProperty("meces.home"));
    private static final String FLINK = "org.apache.flink";
    private static final int BRIDGES = 14;
    private static final int LINES_OF_BRIDGES = 1_130;

    /** Modules whose classes tasks use. */
    private static final List<String> OF_TASKS =
            Arrays.asList(
                    "flink-meces-core",
                    "flink-meces-state",
                    "flink-meces-state-rocksdb",
                    "flink-meces-runtime",
                    "flink-meces-transition-kafka-redis");

    private static final Pattern MAKES_THREADS =
            Pattern.compile(
                    "new Thread\\(|extends Thread\\b|ThreadFactory\\(|java\\.util\\.Timer;"
                            + "|ForkJoinPool|parallelStream\\("
                            + "|(Executors\\.new\\w+|new NioEventLoopGroup)\\(\\d*\\)");

    private static final String[] JOB_MANAGER = {
        "io.meces.core.rescale..", "io.meces.core.job", "io.meces.core.checkpoint"
    };

    private static final JavaClasses OURS =
            new ClassFileImporter()
                    .importLocations(
                            Arrays.asList(
                                    home(MecesOptions.class),
                                    home(MecesStateBackend.class),
                                    home(Assignment.class),
                                    home(RescaleRequest.class)));

    @Test
    void noPackagesDependOnEachOther() {
        slices().matching("io.meces.(*).(*)..").should().beFreeOfCycles().check(OURS);
    }

    @Test
    void whatDecidesHasNoFlinkInIt() {
        classes()
                .that()
                .resideInAPackage("io.meces.core..")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        "io.meces.core..",
                        "io.meces.api",
                        "java..",
                        "javax.annotation",
                        "org.slf4j")
                .check(OURS);
    }

    /** A client brings no Flink, and a Jackson of its own. */
    @Test
    void whatClientsShareNeedsNothing() {
        classes()
                .that()
                .resideInAPackage("io.meces.api")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage("io.meces.api", "java..", "javax.annotation")
                .check(OURS);
    }

    @Test
    void aRescaleKnowsNothingOfItsTasksButWhatTheySay() {
        noClasses()
                .that()
                .resideInAnyPackage(JOB_MANAGER)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.meces.core.protocol", "io.meces.core.store")
                .orShould()
                .dependOnClassesThat()
                .haveNameMatching("io\\.meces\\.core\\.exchange\\.(Peer|(Reliable)?Messaging).*")
                .check(OURS);
    }

    /** What is larger cannot be held in one head. */
    @Test
    void noPackageOfTheCoreHasMoreThan25Classes() throws IOException {
        Map<String, Long> classes =
                filesIn(HOME.resolve("flink-meces-core/src/main/java")).stream()
                        .filter(file -> !file.endsWith("package-info.java"))
                        .collect(
                                Collectors.groupingBy(
                                        file -> file.getParent().toString(),
                                        Collectors.counting()));
        assertThat(classes)
                .isNotEmpty()
                .allSatisfy((name, n) -> assertThat(n).isLessThanOrEqualTo(25));
    }

    @Test
    void tasksKnowNothingOfTheJobManager() {
        noClasses()
                .that()
                .resideInAnyPackage(
                        "io.meces.runtime.task",
                        "io.meces.runtime.shuffle",
                        "io.meces.runtime.transition..",
                        "io.meces.runtime.sink",
                        "io.meces.runtime.operator",
                        "io.meces.state")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "io.meces.core.rescale..",
                        "io.meces.core.job",
                        "io.meces.core.checkpoint",
                        "io.meces.runtime.scheduler",
                        "io.meces.runtime.checkpoint",
                        "io.meces.runtime.graph",
                        "io.meces.runtime.rest",
                        "io.meces.runtime.entrypoint")
                .check(OURS);
    }

    /** So that all other classes can be loaded without its jar. */
    @Test
    void oneClassTouchesTheLibraryThatCompresses() {
        noClasses()
                .that()
                .doNotHaveFullyQualifiedName("io.meces.state.Aircompressor")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.airlift..")
                .check(OURS);
    }

    /** They would keep the classes of the job whose task happens to need them first. */
    @Test
    void threadsAreMadeInOnePlace() throws IOException {
        List<String> makers = new ArrayList<>();
        for (Path root : roots()) {
            if (!OF_TASKS.contains(moduleOf(HOME.relativize(root)))) {
                continue;
            }
            for (Path file : filesIn(root)) {
                String text = new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
                if (MAKES_THREADS.matcher(text).find()) {
                    makers.add(file.getFileName().toString());
                }
            }
        }
        // the thread of a copy ends with it
        assertThat(makers).containsExactlyInAnyOrder("DetachedThreads.java", "GraphCopy.java");
    }

    @Test
    void bridgesAreFewAndSmall() throws IOException {
        Map<String, Long> lines = new TreeMap<>();
        for (Path root : roots()) {
            Path flink = root.resolve("org/apache/flink");
            for (Path file : filesIn(flink)) {
                lines.put(flink.relativize(file).toString(), linesOf(file));
            }
        }
        assertThat(lines).hasSizeLessThanOrEqualTo(BRIDGES).isNotEmpty();
        assertThat(lines.values().stream().mapToLong(n -> n).sum())
                .as("lines of %s, without licences and imports", lines)
                .isLessThanOrEqualTo(LINES_OF_BRIDGES);
    }

    @Test
    void aPackageIsInOneModule() throws IOException {
        Map<String, Set<String>> modulesOf = new TreeMap<>();
        for (Path root : roots()) {
            Path ours = root.resolve("io/meces");
            for (Path file : filesIn(ours)) {
                modulesOf
                        .computeIfAbsent(
                                ours.relativize(file.getParent()).toString(), n -> new TreeSet<>())
                        .add(moduleOf(HOME.relativize(root)));
            }
        }
        assertThat(modulesOf).isNotEmpty().allSatisfy((name, in) -> assertThat(in).hasSize(1));
    }

    /** Where the sources stand of which the modules for Flink 1.12 are made. */
    private static List<Path> roots() throws IOException {
        List<Path> roots = new ArrayList<>();
        try (DirectoryStream<Path> modules = Files.newDirectoryStream(HOME, "flink-meces-*")) {
            modules.forEach(module -> roots.add(module.resolve("src/main/java")));
        }
        for (String line :
                Arrays.asList("flink-meces-flink-1.12", "flink-meces-flink-until-1.20")) {
            try (DirectoryStream<Path> modules =
                    Files.newDirectoryStream(HOME.resolve(line + "/src"))) {
                modules.forEach(module -> roots.add(module.resolve("java")));
            }
        }
        return roots;
    }

    /** That compiles a root: {@code MODULE/src/main/java}, or {@code LINE/src/MODULE/java}. */
    private static String moduleOf(Path root) {
        String folder = root.getName(2).toString();
        return folder.equals("main") ? root.getName(0).toString() : "flink-meces-" + folder;
    }

    private static List<Path> filesIn(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            return Collections.emptyList();
        }
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(Files::isRegularFile).collect(Collectors.toList());
        }
    }

    private static long linesOf(Path file) throws IOException {
        List<String> all = Files.readAllLines(file, StandardCharsets.UTF_8);
        int code = 0;
        while (!all.get(code).startsWith("package ")) {
            code++;
        }
        return all.stream().skip(code + 1).filter(line -> !line.startsWith("import ")).count();
    }

    /** What only touches public members of Flink, or such as a subclass has, stands elsewhere. */
    @Test
    void aBridgeTouchesWhatItsPackageHides() {
        Map<String, List<String>> hidden = new TreeMap<>();
        for (JavaClass bridge : OURS) {
            if (bridge.getPackageName().startsWith(FLINK)) {
                hidden.computeIfAbsent(outermost(bridge), name -> new ArrayList<>())
                        .addAll(hiddenFrom(bridge));
            }
        }
        assertThat(hidden).isNotEmpty();
        hidden.forEach((bridge, reasons) -> assertThat(reasons).as(bridge).isNotEmpty());
    }

    private static String outermost(JavaClass nested) {
        return nested.getEnclosingClass().map(HouseTest::outermost).orElse(nested.getName());
    }

    private static List<String> hiddenFrom(JavaClass bridge) {
        List<String> reasons = new ArrayList<>();
        bridge.getDirectDependenciesFromSelf().stream()
                .map(dependency -> dependency.getTargetClass().getBaseComponentType())
                .filter(target -> isFlinks(target) && isPackagePrivate(target))
                .forEach(target -> reasons.add(target.getName()));
        for (JavaAccess<?> access : bridge.getAccessesFromSelf()) {
            memberOf(access.getTarget())
                    .filter(member -> isFlinks(member.getOwner()) && isHidden(member, bridge))
                    .ifPresent(member -> reasons.add(member.getFullName()));
        }
        for (JavaMethod method : bridge.getMethods()) {
            for (JavaClass ancestor : bridge.getAllRawSuperclasses()) {
                ancestor.getMethods().stream()
                        .filter(other -> isFlinks(ancestor) && isPackagePrivate(other))
                        .filter(other -> other.getName().equals(method.getName()))
                        .forEach(other -> reasons.add(other.getFullName()));
            }
        }
        return reasons;
    }

    private static boolean isHidden(JavaMember member, JavaClass from) {
        return isPackagePrivate(member)
                || member.getModifiers().contains(JavaModifier.PROTECTED)
                        && !from.isAssignableTo(member.getOwner().getName())
                || member instanceof JavaCodeUnit
                        && ((JavaCodeUnit) member)
                                .getRawParameterTypes().stream()
                                        .anyMatch(HouseTest::isPackagePrivate);
    }

    private static Optional<? extends JavaMember> memberOf(AccessTarget target) {
        return target instanceof AccessTarget.FieldAccessTarget
                ? ((AccessTarget.FieldAccessTarget) target).resolveMember()
                : ((AccessTarget.CodeUnitAccessTarget) target).resolveMember();
    }

    private static boolean isFlinks(JavaClass type) {
        return type.getPackageName().startsWith(FLINK) && !OURS.contain(type.getName());
    }

    private static boolean isPackagePrivate(HasModifiers element) {
        return Stream.of(JavaModifier.PUBLIC, JavaModifier.PROTECTED, JavaModifier.PRIVATE)
                .noneMatch(element.getModifiers()::contains);
    }

    /** Of another module a folder, or its jar once it is packaged. */
    private static Location home(Class<?> type) {
        try {
            Path home = Paths.get(type.getProtectionDomain().getCodeSource().getLocation().toURI());
            return Files.isDirectory(home)
                    ? Location.of(home)
                    : Location.of(new JarFile(home.toFile()));
        } catch (URISyntaxException | IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
