// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.check;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URL;
import java.net.URLClassLoader;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.apache.flink.runtime.execution.librarycache.FlinkUserCodeClassLoaders;
import org.apache.flink.runtime.util.EnvironmentInformation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StartupCheckTest {

    private static final ClassLoader LOADER = StartupCheckTest.class.getClassLoader();
    private static final String FIXTURE = Fixture.class.getName();
    private static final List<String> NONE = Collections.emptyList();

    /** Stands in for a class of Flink. */
    @SuppressWarnings("unused")
    static class Fixture {
        private final int field = 1;

        Fixture(String[] arguments, long number) {}

        List<String> overridable(int[][] values) {
            return null;
        }

        final void closed() {}

        private void hidden() {}

        static void shared() {}
    }

    /** Stands in for a class of Flink that cannot be extended. */
    @SuppressWarnings("unused")
    static final class Closed {
        void open() {}
    }

    /** Stands in for a class of Flink that must not be initialized. */
    @SuppressWarnings("unused")
    static class Explosive {
        static int field = Integer.parseInt("no number");
    }

    /** Stands in for a class of Flink that needs another one. */
    @SuppressWarnings("unused")
    static class Dependent {
        void run(Fixture fixture) {}
    }

    @Test
    void thisFlinkFits() {
        assertThatCode(StartupCheck::run).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @ValueSource(strings = {"1.12.0", "1.12.7", "1.12-SNAPSHOT", "1.12.7-vendor3", "1.12"})
    void takesEveryPatchRelease(String version) {
        assertThatCode(() -> check(version, LOADER, NONE, NONE)).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @ValueSource(strings = {"1.11.3", "1.13.0", "1.120.0", "2.1.12"})
    void refusesAnotherVersion(String version) {
        assertThatThrownBy(() -> check(version, LOADER, NONE, NONE))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContainingAll("Flink is " + version, "needed: 1.12.x");
    }

    @ParameterizedTest
    @ValueSource(strings = {EnvironmentInformation.UNKNOWN, ""})
    void goesOnWhenTheVersionIsUnknown(String version) {
        assertThatCode(() -> check(version, LOADER, NONE, NONE)).doesNotThrowAnyException();
    }

    @Test
    void refusesAJarThatIsNotInLib() throws Exception {
        try (URLClassLoader jobs = new URLClassLoader(new URL[0], LOADER)) {
            assertThatThrownBy(() -> check("1.12.7", jobs, NONE, NONE))
                    .hasMessageContainingAll(jobs.toString(), LOADER.toString(), "lib/");
        }
    }

    @Test
    void findsMembersOfAnyVisibility() {
        List<String> used =
                Arrays.asList(
                        FIXTURE + "(java.lang.String[], long)",
                        "java.util.List " + FIXTURE + ".overridable(int[][])",
                        "void " + FIXTURE + ".hidden()",
                        "void " + FIXTURE + ".shared()",
                        "int " + FIXTURE + ".field");
        List<String> extended =
                Collections.singletonList("java.util.List " + FIXTURE + ".overridable(int[][])");
        assertThatCode(() -> check("1.12.7", LOADER, used, extended)).doesNotThrowAnyException();
    }

    @Test
    void listsAllThatIsMissingWithWhatThereIs() {
        List<String> used =
                Arrays.asList(
                        FIXTURE + "()",
                        "void " + FIXTURE + ".overridable(int[])",
                        "long " + FIXTURE + ".field",
                        "void " + FIXTURE + ".gone()",
                        "void org.apache.flink.Nowhere.run()",
                        "int " + FIXTURE + ".field");
        assertThatThrownBy(() -> check("1.13.1", LOADER, used, NONE))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContainingAll(
                        "Flink is 1.13.1",
                        "missing: "
                                + FIXTURE
                                + "(); found: "
                                + FIXTURE
                                + "(java.lang.String[], long)",
                        "overridable(int[]); found: java.util.List "
                                + FIXTURE
                                + ".overridable(int[][])",
                        "missing: long " + FIXTURE + ".field; found: int " + FIXTURE + ".field",
                        ".gone(); found: nothing of that name",
                        "Nowhere.run(); found: no class org.apache.flink.Nowhere")
                .hasMessageNotContaining("missing: int");
    }

    /** Nobody can start a JobManager on YARN where there is nothing for YARN. */
    @Test
    void needsNothingForAResourceManagerThatIsNotThere() throws Exception {
        String yarn = "org.apache.flink.yarn.entrypoint.YarnSessionClusterEntrypoint";
        String gone = "void org.apache.flink.yarn.entrypoint.YarnEntrypointUtils.gone()";
        List<String> used = Arrays.asList(yarn, gone);
        assertThatThrownBy(() -> check("1.12.7", LOADER, used, NONE))
                .hasMessageContaining("missing: " + gone)
                .hasMessageNotContaining("missing: " + yarn);
        try (URLClassLoader partial = without(yarn)) {
            FlinkInternals internals = new FlinkInternals(used, NONE);
            assertThatCode(() -> new StartupCheck("1.12.7", partial, partial, internals).check())
                    .doesNotThrowAnyException();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"closed", "hidden", "shared"})
    void refusesWhatCannotBeOverridden(String method) {
        List<String> extended = Collections.singletonList("void " + FIXTURE + "." + method + "()");
        assertThatThrownBy(() -> check("1.12.7", LOADER, NONE, extended))
                .hasMessageContainingAll("cannot be extended or overridden", method);
    }

    @Test
    void refusesToExtendAFinalClass() {
        List<String> extended =
                Collections.singletonList("void " + Closed.class.getName() + ".open()");
        assertThatThrownBy(() -> check("1.12.7", LOADER, NONE, extended))
                .hasMessageContainingAll("cannot be extended or overridden", "open", "final");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void findsClasses(boolean extended) {
        List<String> names = Collections.singletonList(FIXTURE);
        assertThatCode(
                        () ->
                                check(
                                        "1.12.7",
                                        LOADER,
                                        extended ? NONE : names,
                                        extended ? names : NONE))
                .doesNotThrowAnyException();
    }

    @Test
    void refusesAFinalSuperclass() {
        List<String> extended = Collections.singletonList(Closed.class.getName());
        assertThatThrownBy(() -> check("1.12.7", LOADER, NONE, extended))
                .hasMessageContainingAll("cannot be extended", "Closed", "final");
    }

    @Test
    void doesNotInitializeClasses() {
        String name = Explosive.class.getName();
        List<String> used = Arrays.asList(name, "int " + name + ".field");
        assertThatCode(() -> check("1.12.7", LOADER, used, NONE)).doesNotThrowAnyException();
    }

    @Test
    void takesAClassWhoseDependencyIsMissing() throws Exception {
        String name = Dependent.class.getName();
        List<String> used = Collections.singletonList("void " + name + ".run(" + FIXTURE + ")");
        try (URLClassLoader partial = without(FIXTURE)) {
            FlinkInternals internals = new FlinkInternals(used, NONE);
            assertThatCode(() -> new StartupCheck("1.12.7", partial, partial, internals).check())
                    .doesNotThrowAnyException();
        }
    }

    @Test
    void reportsAClassThatIsMissing() throws Exception {
        List<String> used = Arrays.asList(FIXTURE, "int " + FIXTURE + ".field");
        try (URLClassLoader partial = without(FIXTURE)) {
            FlinkInternals internals = new FlinkInternals(used, NONE);
            assertThatThrownBy(
                            () -> new StartupCheck("1.12.7", partial, partial, internals).check())
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContainingAll(
                            "missing: " + FIXTURE + "; found: no class",
                            "missing: int " + FIXTURE + ".field; found: no class");
        }
    }

    @Test
    void takesAJobWithoutACopy() throws Exception {
        try (URLClassLoader job = new URLClassLoader(new URL[0], LOADER)) {
            assertThatCode(() -> StartupCheck.checkJob(job)).doesNotThrowAnyException();
        }
    }

    @Test
    void refusesAJobWithACopy() throws Exception {
        URL ownJar = StartupCheck.class.getProtectionDomain().getCodeSource().getLocation();
        // As Flink's: the jars of the job before the cluster's.
        try (URLClassLoader job =
                FlinkUserCodeClassLoaders.childFirst(
                        new URL[] {ownJar}, LOADER, new String[] {"java."}, ignored -> {}, false)) {
            assertThatThrownBy(() -> StartupCheck.checkJob(job))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContainingAll(
                            ownJar.toString(), "provided", "parent-first-patterns.additional");
        }
    }

    @Test
    void refusesAJobThatDoesNotSeeUs() {
        ClassLoader blind = new ClassLoader(null) {};
        assertThatThrownBy(() -> StartupCheck.checkJob(blind))
                .hasMessageContaining("does not see flink-meces");
    }

    /** A class loader for the test classes but one. */
    private static URLClassLoader without(String missing) {
        URL[] urls = {StartupCheckTest.class.getProtectionDomain().getCodeSource().getLocation()};
        return new URLClassLoader(urls, null) {
            @Override
            public URL findResource(String name) {
                return name.equals(missing.replace('.', '/') + ".class")
                        ? null
                        : super.findResource(name);
            }
        };
    }

    private static void check(
            String version, ClassLoader ours, List<String> used, List<String> extended) {
        new StartupCheck(version, ours, LOADER, new FlinkInternals(used, extended)).check();
    }
}
