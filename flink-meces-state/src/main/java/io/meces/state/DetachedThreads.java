// SPDX-License-Identifier: Apache-2.0
package io.meces.state;

import io.meces.flink.state.FatalExit;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.security.AccessController;
import java.security.PrivilegedAction;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import javax.annotation.Nullable;

/**
 * Makes all threads of ours that may outlive a job. Often it is the thread of a task that needs one
 * first; by itself Java has the new one keep the task's context class loader, the protection
 * domains of all that is on its stack and its inheritable thread locals, and so the classes of the
 * job for good. (Java 8 has no way to leave out the last.)
 *
 * <p>Daemons of normal priority; what they do not catch ends the process. Thread-safe.
 */
public final class DetachedThreads implements ThreadFactory {

    @Nullable private static final Constructor<Thread> WITHOUT_LOCALS = withoutLocals();

    private final String name;
    private final AtomicInteger number = new AtomicInteger();

    /**
     * @param name of the threads, which have numbers behind it
     */
    public DetachedThreads(String name) {
        this.name = name;
    }

    @Override
    public Thread newThread(Runnable action) {
        return newThread(name + "-" + number.incrementAndGet(), action);
    }

    /** A thread that is not started yet. */
    public static Thread newThread(String name, Runnable action) {
        // what is on the stack below this is left out
        Thread thread =
                AccessController.doPrivileged(
                        (PrivilegedAction<Thread>) () -> construct(name, action));
        thread.setContextClassLoader(DetachedThreads.class.getClassLoader());
        thread.setDaemon(true);
        thread.setPriority(Thread.NORM_PRIORITY);
        thread.setUncaughtExceptionHandler(FatalExit.handler());
        return thread;
    }

    private static Thread construct(String name, Runnable action) {
        try {
            return WITHOUT_LOCALS == null
                    ? new Thread(action, name)
                    : WITHOUT_LOCALS.newInstance(null, action, name, 0L, false);
        } catch (InstantiationException | IllegalAccessException | InvocationTargetException e) {
            throw new IllegalStateException("No thread " + name, e);
        }
    }

    /** Of Java 9 and later; null in Java 8. */
    @Nullable
    private static Constructor<Thread> withoutLocals() {
        try {
            return Thread.class.getConstructor(
                    ThreadGroup.class, Runnable.class, String.class, long.class, boolean.class);
        } catch (NoSuchMethodException e) {
            return null;
        }
    }
}
