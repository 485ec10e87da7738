// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.warmup;

import io.meces.runtime.transition.Transition;
import io.meces.state.DetachedThreads;
import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.security.CodeSource;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs once in a JVM, in a thread of its own with the lowest priority, for about a second. Without
 * it the first rescale runs in the interpreter, while records wait for it. Failing to warm up is no
 * failure: it is logged.
 */
public final class WarmUp {

    private static final Logger LOG = LoggerFactory.getLogger(WarmUp.class);

    private static final AtomicBoolean STARTED = new AtomicBoolean();

    private WarmUp() {}

    /** For a JobManager, which moves no units. */
    public static void ofJobManager() {
        start(
                () -> {
                    loadClasses();
                    PracticePlan.run();
                });
    }

    /** For a TaskManager. */
    public static void ofTaskManager(Transition transition) {
        start(
                () -> {
                    loadClasses();
                    transition.service().practice();
                    PracticeMigration.run(transition.compression());
                });
    }

    private static void start(Task task) {
        if (!STARTED.compareAndSet(false, true)) {
            return;
        }
        Thread thread =
                DetachedThreads.newThread(
                        "meces-warm-up",
                        () -> {
                            long start = System.nanoTime();
                            try {
                                task.run();
                                LOG.info(
                                        "Warmed up in {} ms.",
                                        (System.nanoTime() - start) / 1_000_000);
                            } catch (Exception | LinkageError e) {
                                LOG.warn("Not warmed up; the first rescale will be slower.", e);
                            }
                        });
        thread.setPriority(Thread.MIN_PRIORITY);
        thread.start();
    }

    /** All classes of ours in the jar that this class is in. */
    private static void loadClasses() throws IOException, URISyntaxException {
        CodeSource source = WarmUp.class.getProtectionDomain().getCodeSource();
        if (source == null) {
            return;
        }
        File file = new File(source.getLocation().toURI());
        // a directory of classes, in tests
        if (file.isFile()) {
            JarClasses.load(file, WarmUp.class.getClassLoader());
        }
    }

    private interface Task {
        void run() throws Exception;
    }
}
