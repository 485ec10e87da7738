// SPDX-License-Identifier: Apache-2.0
/**
 * The scheduler's side of a rescale, apart from Flink's scheduler: {@link
 * io.meces.core.rescale.RescaleController} answers requests, {@link
 * io.meces.core.rescale.VertexRescale} is the life of the rescale of one vertex, state by state,
 * and {@link io.meces.core.job.RescaleContext} is what they need of the scheduler.
 *
 * <p>All of it belongs to the JobMaster's main thread, unless a class says otherwise.
 */
package io.meces.core.rescale;
