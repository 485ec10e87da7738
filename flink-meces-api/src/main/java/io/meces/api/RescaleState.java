// SPDX-License-Identifier: Apache-2.0
package io.meces.api;

/**
 * What a rescale is doing, in the order in which a vertex goes through these states. It can come
 * back to some of them. Later versions may have other states.
 */
public enum RescaleState {
    /** New subtasks wait for slots and start. */
    DEPLOYING,
    /** Checkpoints are held back; those on their way complete. */
    QUIESCING,
    /** Subtasks that give or get key-groups make ready. */
    BEGINNING,
    /** Upstreams and downstreams open channels to new subtasks. */
    CONNECTING,
    /** New subtasks, which are not to be after all, say good-bye to their downstreams. */
    WITHDRAWING,
    /** New subtasks, which are not to be after all, end. */
    UNDEPLOYING,
    /** The subtasks that have a part in a step learn of it. */
    STARTING,
    /** The key-groups of a step move. */
    MIGRATING,
    /** The data of these key-groups follows, where it does not travel with them. */
    TRANSFERRING,
    /** Between two steps, a checkpoint runs. */
    PAUSING,
    /** Between two steps, a watermark that has timers fire goes first. */
    YIELDING,
    /** The operators of subtasks that leave end. */
    DRAINING,
    /** A last checkpoint of subtasks that leave completes. */
    CONFIRMING,
    /** The list state of subtasks that leave is read from that checkpoint. */
    READING,
    /** Subtasks that leave say good-bye to their downstreams. */
    RETIRING,
    /** Subtasks that leave end. */
    CANCELLING,
    /** Upstreams close the channels to subtasks that are gone. */
    DISCONNECTING
}
