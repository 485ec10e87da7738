// SPDX-License-Identifier: Apache-2.0
package io.meces.state;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.security.AccessControlContext;
import java.security.AccessController;
import java.security.CodeSource;
import java.security.PermissionCollection;
import java.security.PrivilegedAction;
import java.security.ProtectionDomain;
import java.security.cert.Certificate;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

@Timeout(60)
class DetachedThreadsTest {

    private static final InheritableThreadLocal<Object> LOCAL = new InheritableThreadLocal<>();

    private final ReferenceQueue<ClassLoader> gone = new ReferenceQueue<>();

    @Test
    void aThreadIsADaemonOfNormalPriorityWithTheNumberOfItsFactory() throws Exception {
        DetachedThreads threads = new DetachedThreads("some");
        Thread first = inATask(null, () -> threads.newThread(() -> {}));
        Thread second = threads.newThread(() -> {});
        assertThat(first.getName()).isEqualTo("some-1");
        assertThat(second.getName()).isEqualTo("some-2");
        assertThat(first.isDaemon()).isTrue();
        assertThat(first.getPriority()).isEqualTo(Thread.NORM_PRIORITY);
        assertThat(first.getContextClassLoader()).isSameAs(DetachedThreads.class.getClassLoader());
    }

    /** The context class loader of a task, and a domain of it on the stack. */
    @Test
    void aThreadOutlivesATaskWithoutItsClassLoader() throws Exception {
        ScheduledExecutorService timer =
                Executors.newSingleThreadScheduledExecutor(new DetachedThreads("timer"));
        try {
            URLClassLoader loader = new URLClassLoader(new URL[0]);
            WeakReference<ClassLoader> held = new WeakReference<>(loader, gone);
            inATask(loader, () -> timer.schedule(() -> {}, 0, TimeUnit.SECONDS)).get();
            loader.close();
            loader = null;
            awaitGone(held);
        } finally {
            timer.shutdownNow();
        }
    }

    @Test
    @EnabledForJreRange(min = JRE.JAVA_9)
    void aThreadHasNoThreadLocalsOfATask() throws Exception {
        FutureTask<Object> seen = new FutureTask<>(LOCAL::get);
        inATask(
                        null,
                        () -> {
                            LOCAL.set("of a task");
                            return DetachedThreads.newThread("thread", seen);
                        })
                .start();
        assertThat(seen.get()).isNull();
    }

    /** In a thread as that of a task, with something of its class loader on the stack. */
    private static <T> T inATask(ClassLoader loader, PrivilegedAction<T> action) throws Exception {
        ProtectionDomain domain =
                new ProtectionDomain(
                        new CodeSource(null, (Certificate[]) null),
                        (PermissionCollection) null,
                        loader,
                        null);
        AccessControlContext stack = new AccessControlContext(new ProtectionDomain[] {domain});
        FutureTask<T> result = new FutureTask<>(() -> AccessController.doPrivileged(action, stack));
        Thread task = new Thread(result, "task");
        task.setContextClassLoader(loader);
        task.start();
        T value = result.get();
        task.join();
        return value;
    }

    /** The time limit of the test is that of the wait. */
    private void awaitGone(WeakReference<ClassLoader> held) throws InterruptedException {
        while (held.get() != null) {
            System.gc();
            gone.remove(50);
        }
    }
}
