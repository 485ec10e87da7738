/**
 * What the outside says to the rescale controller of a job and what it answers: immutable values
 * that travel by Flink's RPC, from the REST handlers, the mini cluster or a test to the scheduler
 * of the job.
 *
 * <p>They are delivered by {@code deliverCoordinationRequestToCoordinator} under the operator id
 * {@link io.meces.runtime.api.MecesCoordination#OPERATOR_ID}.
 */
package io.meces.runtime.api;
