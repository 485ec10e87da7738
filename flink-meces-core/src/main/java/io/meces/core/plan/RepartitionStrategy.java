// SPDX-License-Identifier: Apache-2.0
package io.meces.core.plan;

/**
 * Decides where the key-groups of a vertex shall be at a parallelism: another one, or the same, to
 * even out load.
 *
 * <p>Users can bring one of their own: a class with a public constructor without parameters, in a
 * jar in {@code lib/} of the JobManager, named in {@code meces.rescale.strategy} or in a request.
 *
 * <p>A strategy is called in the main thread of the JobMaster, once or more per request, also for
 * dry runs. It must be a pure function that returns soon: no I/O, no state. Equal arguments give
 * equal results.
 */
public interface RepartitionStrategy {

    /**
     * The assignment to go to. A rescale is refused, and nothing changes, if this throws or if the
     * result is not as demanded here.
     *
     * @param current where the key-groups are; subtasks from the parallelism on are to leave
     * @param parallelism from 1 to the number of key-groups; each subtask below it gets at least
     *     one key-group, the others get none
     * @param load of each key-group; unknown unless {@link #usesLoad()}, and perhaps known then too
     * @return an assignment of as many key-groups, of exactly that parallelism
     * @throws IllegalArgumentException if it cannot be; the message goes to the user
     */
    Assignment target(Assignment current, int parallelism, VertexLoad load);

    /**
     * Whether it needs the load. Then it is asked for first, and a request is refused if it cannot
     * be told.
     */
    default boolean usesLoad() {
        return false;
    }
}
