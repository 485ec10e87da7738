// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live;

import java.lang.management.LockInfo;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.LifecycleMethodExecutionExceptionHandler;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says what all threads did when a live test ran out of time: which of them hangs is seldom seen a
 * second time. Registered for every test that has this jar on its class path.
 */
public final class ThreadDumpOnTimeout
        implements TestExecutionExceptionHandler, LifecycleMethodExecutionExceptionHandler {

    private static final Logger LOG = LoggerFactory.getLogger(ThreadDumpOnTimeout.class);

    private static final int FRAMES = 40;

    @Override
    public void handleTestExecutionException(ExtensionContext context, Throwable failure)
            throws Throwable {
        throw withDump(context, failure);
    }

    @Override
    public void handleBeforeAllMethodExecutionException(ExtensionContext context, Throwable failure)
            throws Throwable {
        throw withDump(context, failure);
    }

    @Override
    public void handleBeforeEachMethodExecutionException(
            ExtensionContext context, Throwable failure) throws Throwable {
        throw withDump(context, failure);
    }

    @Override
    public void handleAfterEachMethodExecutionException(ExtensionContext context, Throwable failure)
            throws Throwable {
        throw withDump(context, failure);
    }

    @Override
    public void handleAfterAllMethodExecutionException(ExtensionContext context, Throwable failure)
            throws Throwable {
        throw withDump(context, failure);
    }

    private static Throwable withDump(ExtensionContext context, Throwable failure)
            throws Exception {
        if (failure instanceof TimeoutException) {
            Path file =
                    Files.createTempFile(
                            Files.createDirectories(Paths.get("target")), "threads-", ".txt");
            String dump = dump();
            Files.write(file, dump.getBytes(StandardCharsets.UTF_8));
            LOG.error(
                    "{} ran out of time. All threads, also in {}:\n{}",
                    context.getDisplayName(),
                    file,
                    dump);
        }
        return failure;
    }

    /** Threads that wait for work in a pool are left out. */
    private static String dump() {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        StringBuilder dump = new StringBuilder();
        for (ThreadInfo thread : threads.dumpAllThreads(true, true)) {
            if (!isIdle(thread.getStackTrace())) {
                append(thread, dump);
            }
        }
        return dump.toString();
    }

    private static boolean isIdle(StackTraceElement[] frames) {
        for (StackTraceElement frame : frames) {
            if (frame.getClassName().equals("java.util.concurrent.ThreadPoolExecutor")
                    && frame.getMethodName().equals("getTask")) {
                return true;
            }
        }
        return frames.length == 0;
    }

    private static void append(ThreadInfo thread, StringBuilder dump) {
        dump.append('"').append(thread.getThreadName()).append("\" ");
        dump.append(thread.getThreadState());
        if (thread.getLockName() != null) {
            dump.append(" on ").append(thread.getLockName());
        }
        if (thread.getLockOwnerName() != null) {
            dump.append(" of \"").append(thread.getLockOwnerName()).append('"');
        }
        dump.append('\n');
        StackTraceElement[] frames = thread.getStackTrace();
        for (int i = 0; i < Math.min(frames.length, FRAMES); i++) {
            dump.append("    ").append(frames[i]).append('\n');
        }
        for (LockInfo lock : thread.getLockedMonitors()) {
            dump.append("    holds ").append(lock).append('\n');
        }
    }
}
