// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import java.util.Collection;
import org.apache.flink.runtime.concurrent.ComponentMainThreadExecutor;
import org.apache.flink.runtime.jobmaster.JobMasterId;
import org.apache.flink.runtime.jobmaster.SlotInfo;
import org.apache.flink.runtime.jobmaster.slotpool.SlotPool;
import org.apache.flink.runtime.jobmaster.slotpool.SlotPoolService;

/** What stands before the slot pool of a job. Owned by the JobMaster's main thread. */
abstract class BeforeSlotPool implements SlotPoolService {

    protected final SlotPoolService flinks;
    private final SlotPool pool;

    /**
     * @param flinks that of Flink's default scheduler
     */
    BeforeSlotPool(SlotPoolService flinks) {
        this.flinks = flinks;
        this.pool =
                flinks.castInto(SlotPool.class)
                        .orElseThrow(
                                () -> new IllegalStateException(flinks + " is not a slot pool."));
    }

    final SlotPool pool() {
        return pool;
    }

    /** Those that the job keeps and does not use. */
    final Collection<? extends SlotInfo> free() {
        return pool.getFreeSlotInfoTracker().getFreeSlotsInformation();
    }

    @Override
    public final void start(JobMasterId id, String address, ComponentMainThreadExecutor mainThread)
            throws Exception {
        flinks.start(id, address, mainThread);
    }
}
