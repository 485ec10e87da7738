// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.function.LongPredicate;
import javax.annotation.Nullable;
import org.apache.flink.runtime.jobmaster.SlotInfo;
import org.apache.flink.runtime.jobmaster.slotpool.SlotPool;
import org.apache.flink.runtime.jobmaster.slotpool.SlotPoolFactory;
import org.apache.flink.runtime.resourcemanager.ResourceManagerGateway;
import org.apache.flink.util.FlinkException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The slots of a job, and whom it gets them from. Flink's JobMaster tells its slot pool who the
 * resource manager is, and nobody else. Owned by the JobMaster's main thread.
 */
public final class JobSlots {

    private static final Logger LOG = LoggerFactory.getLogger(JobSlots.class);

    private final SlotPool pool;

    private JobSlots(SlotPool pool) {
        this.pool = pool;
    }

    /** Makes slot pools of which {@link #of} knows the resource manager. */
    static SlotPoolFactory watching(SlotPoolFactory flinks) {
        return job ->
                (SlotPool)
                        Proxy.newProxyInstance(
                                JobSlots.class.getClassLoader(),
                                new Class<?>[] {SlotPool.class},
                                new Watched(flinks.createSlotPool(job)));
    }

    static JobSlots of(SlotPool pool) {
        return new JobSlots(pool);
    }

    /** Runs an action whenever TaskManagers have offered slots, which nobody may need any more. */
    public void whenOffered(Runnable action) {
        Watched watched = watched();
        if (watched != null) {
            watched.offered = action;
        }
    }

    /** Nothing to do: all checkpoints of a job with elastic vertices are aligned. */
    public void alignUnless(LongPredicate unaligned) {}

    /** Null if none is connected. */
    @Nullable
    public ResourceManagerGateway resourceManager() {
        Watched watched = watched();
        return watched == null ? null : watched.resourceManager;
    }

    /** How many the job keeps and does not use. */
    public int unused() {
        return pool.getAvailableSlotsInformation().size();
    }

    /** Gives back those that the job does not use; Flink's slot pool would keep them for later. */
    public void giveBackUnused() {
        for (SlotInfo slot : pool.getAvailableSlotsInformation()) {
            LOG.info("Giving back slot {}, which the job does not use.", slot.getAllocationId());
            pool.failAllocation(
                    slot.getAllocationId(), new FlinkException("The job does not use the slot."));
        }
    }

    @Nullable
    private Watched watched() {
        InvocationHandler handler =
                Proxy.isProxyClass(pool.getClass()) ? Proxy.getInvocationHandler(pool) : null;
        return handler instanceof Watched ? (Watched) handler : null;
    }

    /** A slot pool of Flink's. */
    private static final class Watched implements InvocationHandler {
        private final SlotPool flinks;
        @Nullable private ResourceManagerGateway resourceManager;
        private Runnable offered = () -> {};

        Watched(SlotPool flinks) {
            this.flinks = flinks;
        }

        @Override
        public Object invoke(Object self, Method method, Object[] arguments) throws Throwable {
            if (method.getName().equals("connectToResourceManager")) {
                resourceManager = (ResourceManagerGateway) arguments[0];
            } else if (method.getName().equals("disconnectResourceManager")) {
                resourceManager = null;
            }
            Object result;
            try {
                result = method.invoke(flinks, arguments);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
            if (method.getName().equals("offerSlots")) {
                offered.run();
            }
            return result;
        }
    }
}
