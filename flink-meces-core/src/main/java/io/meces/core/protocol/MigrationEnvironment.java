// SPDX-License-Identifier: Apache-2.0
package io.meces.core.protocol;

import io.meces.core.command.MigrationReports;
import io.meces.core.exchange.Handovers;
import io.meces.core.exchange.PeerLink;
import io.meces.core.exchange.TaskThread;
import io.meces.core.store.UnitState;

/**
 * A task as a {@link SubtaskRescale} sees it. Called by the task thread.
 *
 * @param <E> an element of an input
 */
public interface MigrationEnvironment<E extends MigratingElement> {

    TaskThread thread();

    MigrationInputs<E> inputs();

    MigrationReports reports();

    /** What tells consumers of units that move. */
    Handovers.Port consumers();

    /** The state of the task, for a rescale that begins. */
    UnitState openState();

    /** What drains the task's operators, for a rescale that begins. */
    ResultDrain openDrain();

    PeerLink link();

    /**
     * Ends the input of all operators, which emit what they hold back, and stops their timers.
     *
     * @param whenQuiet run, in any thread, when no timer can fire any more
     */
    void endOperators(Runnable whenQuiet) throws Exception;
}
