// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import java.util.Collection;
import java.util.Optional;
import java.util.function.LongPredicate;
import javax.annotation.Nullable;
import org.apache.flink.runtime.clusterframework.types.AllocationID;
import org.apache.flink.runtime.clusterframework.types.ResourceID;
import org.apache.flink.runtime.jobmanager.slots.TaskManagerGateway;
import org.apache.flink.runtime.jobmaster.AllocatedSlotReport;
import org.apache.flink.runtime.jobmaster.SlotInfo;
import org.apache.flink.runtime.jobmaster.slotpool.SlotPoolService;
import org.apache.flink.runtime.resourcemanager.ResourceManagerGateway;
import org.apache.flink.runtime.slots.ResourceRequirement;
import org.apache.flink.runtime.taskexecutor.slot.SlotOffer;
import org.apache.flink.runtime.taskmanager.TaskManagerLocation;
import org.apache.flink.util.FlinkException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The slots of a job, and whom it gets them from. Flink's JobMaster tells its slot pool who the
 * resource manager is, and nobody else; so this stands before that. Owned by the JobMaster's main
 * thread.
 */
public final class JobSlots extends BeforeSlotPool {

    private static final Logger LOG = LoggerFactory.getLogger(JobSlots.class);

    @Nullable private ResourceManagerGateway resourceManager;
    private Runnable offered = () -> {};
    @Nullable private LongPredicate mayBeUnaligned;

    /**
     * @param flinks that of Flink's default scheduler
     */
    JobSlots(SlotPoolService flinks) {
        super(flinks);
    }

    /** Runs an action whenever TaskManagers have offered slots, which nobody may need any more. */
    public void whenOffered(Runnable action) {
        offered = action;
    }

    /**
     * Has tasks align the barriers of checkpoints, unless they may do without. To be called before
     * the first slot is offered.
     *
     * @param unaligned which may, by id
     */
    public void alignUnless(LongPredicate unaligned) {
        mayBeUnaligned = unaligned;
    }

    /** Null if none is connected. */
    @Nullable
    public ResourceManagerGateway resourceManager() {
        return resourceManager;
    }

    /** How many the job keeps and does not use. */
    public int unused() {
        return free().size();
    }

    /** Gives back those that the job does not use; Flink's slot pool would keep them for later. */
    public void giveBackUnused() {
        for (SlotInfo slot : free()) {
            LOG.info("Giving back slot {}, which the job does not use.", slot.getAllocationId());
            flinks.failAllocation(
                    slot.getTaskManagerLocation().getResourceID(),
                    slot.getAllocationId(),
                    new FlinkException("The job does not use the slot."));
        }
    }

    // ------------------------------------------------------------------------
    //  For the JobMaster
    // ------------------------------------------------------------------------

    @Override
    public <T> Optional<T> castInto(Class<T> type) {
        return flinks.castInto(type);
    }

    @Override
    public void close() {
        flinks.close();
    }

    @Override
    public Collection<SlotOffer> offerSlots(
            TaskManagerLocation location,
            TaskManagerGateway gateway,
            Collection<SlotOffer> offers) {
        TaskManagerGateway used =
                mayBeUnaligned == null ? gateway : AligningGateway.of(gateway, mayBeUnaligned);
        Collection<SlotOffer> accepted = flinks.offerSlots(location, used, offers);
        offered.run();
        return accepted;
    }

    @Override
    public Optional<ResourceID> failAllocation(
            @Nullable ResourceID taskManager, AllocationID slot, Exception cause) {
        return flinks.failAllocation(taskManager, slot, cause);
    }

    @Override
    public boolean registerTaskManager(ResourceID taskManager) {
        return flinks.registerTaskManager(taskManager);
    }

    @Override
    public boolean releaseTaskManager(ResourceID taskManager, Exception cause) {
        return flinks.releaseTaskManager(taskManager, cause);
    }

    @Override
    public void releaseFreeSlotsOnTaskManager(ResourceID taskManager, Exception cause) {
        flinks.releaseFreeSlotsOnTaskManager(taskManager, cause);
    }

    @Override
    public void connectToResourceManager(ResourceManagerGateway gateway) {
        resourceManager = gateway;
        flinks.connectToResourceManager(gateway);
    }

    @Override
    public void disconnectResourceManager() {
        resourceManager = null;
        flinks.disconnectResourceManager();
    }

    @Override
    public AllocatedSlotReport createAllocatedSlotReport(ResourceID taskManager) {
        return flinks.createAllocatedSlotReport(taskManager);
    }

    @Override
    public void notifyNotEnoughResourcesAvailable(Collection<ResourceRequirement> acquired) {
        flinks.notifyNotEnoughResourcesAvailable(acquired);
    }
}
