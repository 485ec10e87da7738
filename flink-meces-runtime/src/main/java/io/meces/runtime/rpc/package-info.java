// SPDX-License-Identifier: Apache-2.0
/**
 * How the rescale controller of a job is reached by Flink's RPC, from the REST handlers, the mini
 * cluster or a test: the values of {@code io.meces.api} travel by {@code
 * deliverCoordinationRequestToCoordinator} under the operator id {@link
 * io.meces.runtime.rpc.MecesCoordination#OPERATOR_ID}.
 */
package io.meces.runtime.rpc;
