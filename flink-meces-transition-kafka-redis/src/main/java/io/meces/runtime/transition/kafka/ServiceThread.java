// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.transition.kafka;

import io.meces.state.DetachedThreads;
import java.util.concurrent.TimeUnit;
import org.apache.flink.util.ExceptionUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A thread that does its work again and again until it is told to stop. Whatever the work throws is
 * an outage: it is said, and the work is begun anew after a pause. What a JVM does not survive,
 * such as an {@link OutOfMemoryError}, ends the process, as in all {@link DetachedThreads}.
 *
 * <p>Thread-safe.
 */
final class ServiceThread {

    private static final Logger LOG = LoggerFactory.getLogger(ServiceThread.class);

    private final Thread thread;
    private final Outage outage;
    private final Action work;
    private final Action end;
    private volatile boolean stopping;

    /** Something that may fail. */
    interface Action {
        void run() throws Exception;
    }

    /**
     * @param work is woken up by its owner when the thread is to stop
     * @param end run once, after the last work
     */
    ServiceThread(String name, Outage outage, Action work, Action end) {
        this.outage = outage;
        this.work = work;
        this.end = end;
        this.thread = DetachedThreads.newThread(name, this::run);
    }

    Thread thread() {
        return thread;
    }

    boolean isStopping() {
        return stopping;
    }

    private void run() {
        while (!stopping) {
            work();
        }
        try {
            end.run();
        } catch (Throwable t) {
            ExceptionUtils.rethrowIfFatalErrorOrOOM(t);
            LOG.warn("{} has not ended in order.", thread.getName(), t);
        }
    }

    private void work() {
        try {
            work.run();
            outage.succeeded();
        } catch (Throwable t) {
            ExceptionUtils.rethrowIfFatalErrorOrOOM(t);
            // one that is told to stop may be woken up by anything
            if (!stopping) {
                pause(outage.failed(t));
            }
        }
    }

    private void pause(int failures) {
        try {
            Retries.DEFAULT.pause(failures);
        } catch (InterruptedException e) {
            LOG.debug("Woken up in a pause", e);
        }
    }

    void start() {
        thread.start();
    }

    /** Lets the work that is being done be the last one. Does not block. */
    void requestStop() {
        stopping = true;
    }

    /** Waits for the end, but not for long. */
    void join(long millis) {
        try {
            TimeUnit.MILLISECONDS.timedJoin(thread, millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
