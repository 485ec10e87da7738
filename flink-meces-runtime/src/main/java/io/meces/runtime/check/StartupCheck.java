// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.check;

import io.meces.flink.runtime.FlinkLine;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.annotation.Nullable;
import org.apache.flink.runtime.util.EnvironmentInformation;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Verifies that flink-meces fits the Flink that it runs in, so that a wrong one shows when a
 * process starts and not as a broken job.
 *
 * <p>{@link #run} is called at the start of every JobManager and TaskManager, {@link #checkJob} for
 * every job, by any thread. {@code run} takes some 100 milliseconds.
 */
public final class StartupCheck {

    private static final Logger LOG = LoggerFactory.getLogger(StartupCheck.class);

    private static final String NEEDED_VERSION = FlinkLine.NAME + ".x";
    private static final Pattern FITTING =
            Pattern.compile(Pattern.quote(FlinkLine.NAME) + "([.-].*)?");

    /**
     * What flink-dist has, and the class path of a test of a job need not have: nobody can start
     * what is not there. A package of Flink, and a class by which it is known.
     */
    private static final Map<String, String> OPTIONAL = new HashMap<>();

    static {
        OPTIONAL.put(
                "org.apache.flink.kubernetes.", "entrypoint.KubernetesSessionClusterEntrypoint");
        OPTIONAL.put("org.apache.flink.yarn.", "entrypoint.YarnSessionClusterEntrypoint");
    }

    private final String version;
    private final ClassLoader ours;
    private final ClassLoader flinks;
    private final FlinkInternals internals;

    StartupCheck(String version, ClassLoader ours, ClassLoader flinks, FlinkInternals internals) {
        this.version = version;
        this.ours = ours;
        this.flinks = flinks;
        this.internals = internals;
    }

    /**
     * Checks the version of Flink, all of its classes and members that our byte code refers to, and
     * that the jar is in its place. A version that Flink does not know itself is only worth a
     * warning.
     *
     * @throws IllegalStateException with all that does not fit, what was found and what is needed
     */
    public static void run() {
        new StartupCheck(
                        EnvironmentInformation.getVersion(),
                        StartupCheck.class.getClassLoader(),
                        EnvironmentInformation.class.getClassLoader(),
                        FlinkInternals.read())
                .check();
    }

    /**
     * Checks that a job does not bring its own copy of flink-meces. Flink loads classes from the
     * jars of a job first, so our tasks and messages would be of other classes than the cluster's.
     *
     * @param userCode the class loader of the job
     * @throws IllegalStateException if the job has a copy, with the remedy
     */
    public static void checkJob(ClassLoader userCode) {
        Class<?> seenByJob;
        try {
            seenByJob = Class.forName(StartupCheck.class.getName(), false, userCode);
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(
                    "The class loader of the job does not see flink-meces: " + userCode, e);
        }
        if (seenByJob != StartupCheck.class) {
            throw new IllegalStateException(
                    "The jar of the job contains flink-meces, at "
                            + seenByJob.getProtectionDomain().getCodeSource().getLocation()
                            + ". Leave flink-meces-runtime out of it (scope \"provided\" in Maven),"
                            + " or set classloader.parent-first-patterns.additional: io.meces in"
                            + " Flink's configuration.");
        }
    }

    void check() {
        List<String> problems = new ArrayList<>();
        checkVersion(problems);
        checkClassLoaders(problems);
        checkInternals(problems);
        if (!problems.isEmpty()) {
            throw new IllegalStateException(
                    "flink-meces does not fit this Flink, and nothing was started:\n  - "
                            + String.join("\n  - ", problems)
                            + "\nRun it with an unchanged Apache Flink "
                            + NEEDED_VERSION
                            + ", with its jar in lib/.");
        }
    }

    private void checkVersion(List<String> problems) {
        if (version.isEmpty() || version.equals(EnvironmentInformation.UNKNOWN)) {
            LOG.warn(
                    "This Flink does not know its version. flink-meces needs {}; going on, since"
                            + " that is all that can be said.",
                    NEEDED_VERSION);
        } else if (!FITTING.matcher(version).matches()) {
            problems.add("the version of Flink is " + version + "; needed: " + NEEDED_VERSION);
        }
    }

    private void checkClassLoaders(List<String> problems) {
        if (ours != flinks) {
            problems.add(
                    "flink-meces was loaded by "
                            + ours
                            + " and Flink by "
                            + flinks
                            + "; needed: the same class loader. Put the jar of flink-meces into the"
                            + " lib/ directory of Flink on every machine, and leave it out of the"
                            + " jars of jobs");
        }
    }

    private void checkInternals(List<String> problems) {
        try {
            MemberLookup lookup = new MemberLookup(flinks);
            Set<String> absent = absent(lookup);
            for (String name : internals.used()) {
                addIfAny(problems, absent, name, lookup.problem(name, false));
            }
            for (String name : internals.extended()) {
                addIfAny(problems, absent, name, lookup.problem(name, true));
            }
        } catch (LinkageError e) {
            problems.add("missing: the reader of class files that Flink brings; found: " + e);
        }
    }

    /** The packages that are optional and not there. */
    private static Set<String> absent(MemberLookup lookup) {
        return OPTIONAL.keySet().stream()
                .filter(name -> lookup.problem(name + OPTIONAL.get(name), false) != null)
                .collect(Collectors.toSet());
    }

    private static void addIfAny(
            List<String> problems, Set<String> absent, String name, @Nullable String problem) {
        if (problem != null
                && absent.stream().noneMatch(MemberLookup.declaringClass(name)::startsWith)) {
            problems.add(problem);
        }
    }
}
