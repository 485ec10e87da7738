// SPDX-License-Identifier: Apache-2.0
package io.meces.core.rescale;

import io.meces.api.RescaleState;
import io.meces.core.rescale.state.Cancelling;
import io.meces.core.rescale.state.Disconnecting;
import io.meces.core.rescale.state.Retiring;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The end of a scale-out that is given up before anything has moved: the new subtasks go again.
 * Owned by the JobMaster's main thread.
 */
final class Withdrawal extends RescalePart {

    private static final Logger LOG = LoggerFactory.getLogger(Withdrawal.class);

    Withdrawal(RescalePart whole) {
        super(whole);
    }

    /** Upstreams and consumers may have opened channels to them. */
    void withdraw(String reason, Runnable then) {
        current.enter(
                new Retiring(
                        this,
                        RescaleState.WITHDRAWING,
                        scaling.from,
                        scaling.to,
                        () -> undeploy(true, reason, then)));
    }

    /** Nobody has opened a channel to them. */
    void undeploy(String reason, Runnable then) {
        undeploy(false, reason, then);
    }

    private void undeploy(boolean opened, String reason, Runnable then) {
        current.enter(
                new Cancelling(
                        this,
                        RescaleState.UNDEPLOYING,
                        () -> job.cancel(vertex, scaling.from, scaling.to),
                        () -> {
                            checkpoints().release();
                            // they may have run, and asked for their partitions
                            current.enter(
                                    new Disconnecting(
                                            this,
                                            scaling.from,
                                            scaling.to,
                                            !opened,
                                            () -> undeployed(reason, then)));
                        }));
    }

    private void undeployed(String reason, Runnable then) {
        current.leave();
        LOG.info("Rescale {} of {}: new subtasks are gone again, {}", scaling.name, vertex, reason);
        vertex.settle(vertex.assignment(), scaling.from);
        then.run();
    }
}
