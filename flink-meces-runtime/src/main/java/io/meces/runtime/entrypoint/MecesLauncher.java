// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.entrypoint;

import io.meces.runtime.check.StartupCheck;
import java.lang.reflect.InvocationTargetException;
import java.util.Arrays;
import javax.annotation.Nullable;
import org.apache.flink.runtime.entrypoint.ClusterEntrypoint;
import org.apache.flink.runtime.util.EnvironmentInformation;
import org.apache.flink.runtime.util.JvmShutdownSafeguard;
import org.apache.flink.runtime.util.SignalHandler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The main class that stands before Flink's: {@code java ... MecesLauncher CLASS ARGUMENT...}
 * starts what {@code java ... CLASS ARGUMENT...} would. In place of a JobManager of Flink it starts
 * ours, which understands the same arguments and the same environment; all else is started as it
 * is: Kubernetes and YARN have one command for JobManagers and TaskManagers. Has no state.
 */
public final class MecesLauncher {

    private static final Logger LOG = LoggerFactory.getLogger(MecesLauncher.class);

    private static final int STARTUP_FAILURE_RETURN_CODE = 1;

    private MecesLauncher() {}

    /**
     * Runs until the JobManager has ended, then exits; or returns when the other main class does.
     *
     * @param args the name of Flink's main class, and its arguments
     * @throws Throwable whatever a main class that is started as it is throws
     */
    public static void main(String[] args) throws Throwable {
        if (args.length == 0) {
            throw new IllegalArgumentException(
                    "The name of a main class of Flink is missing, and its arguments behind it.");
        }
        String[] arguments = Arrays.copyOfRange(args, 1, args.length);
        JobManager jobManager = inPlaceOf(args[0]);
        if (jobManager == null) {
            start(args[0], arguments);
        } else {
            run(args[0], jobManager, arguments);
        }
    }

    /**
     * The JobManager that takes the place of a main class; null if none does. Classes of Kubernetes
     * and YARN are loaded only when such a JobManager is created.
     */
    @Nullable
    static JobManager inPlaceOf(String mainClass) {
        switch (mainClass) {
            case "org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint":
                return StandaloneJobManagers::session;
            case "org.apache.flink.container.entrypoint.StandaloneApplicationClusterEntryPoint":
                return StandaloneJobManagers::application;
            case "org.apache.flink.kubernetes.entrypoint.KubernetesSessionClusterEntrypoint":
                return KubernetesJobManagers::session;
            case "org.apache.flink.kubernetes.entrypoint.KubernetesApplicationClusterEntrypoint":
                return KubernetesJobManagers::application;
            case "org.apache.flink.yarn.entrypoint.YarnSessionClusterEntrypoint":
                return YarnJobManagers::session;
            case "org.apache.flink.yarn.entrypoint.YarnJobClusterEntrypoint":
                return YarnJobManagers::job;
            case "org.apache.flink.yarn.entrypoint.YarnApplicationClusterEntryPoint":
                return YarnJobManagers::application;
            default:
                return null;
        }
    }

    private static void run(String flinks, JobManager jobManager, String[] arguments) {
        EnvironmentInformation.logEnvironmentInfo(
                LOG, "flink-meces in place of " + flinks, arguments);
        SignalHandler.register(LOG);
        JvmShutdownSafeguard.installAsShutdownHook(LOG);
        ClusterEntrypoint entrypoint;
        try {
            StartupCheck.run();
            entrypoint = jobManager.create(arguments);
        } catch (Exception e) {
            LOG.error("The JobManager was not started.", e);
            System.exit(STARTUP_FAILURE_RETURN_CODE);
            return;
        }
        ClusterEntrypoint.runClusterEntrypoint(entrypoint);
    }

    private static void start(String mainClass, String[] arguments) throws Throwable {
        try {
            Class.forName(mainClass)
                    .getMethod("main", String[].class)
                    .invoke(null, (Object) arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    /** How a JobManager of ours is created. */
    @FunctionalInterface
    interface JobManager {

        /**
         * A JobManager that is not started yet.
         *
         * @param arguments those of Flink's main class
         * @throws Exception if they, the environment or the application do not allow it
         */
        ClusterEntrypoint create(String[] arguments) throws Exception;
    }
}
