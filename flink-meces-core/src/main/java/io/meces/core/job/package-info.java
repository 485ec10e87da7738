// SPDX-License-Identifier: Apache-2.0
/**
 * A job as its rescales see it: its elastic vertices, what is stored of them in checkpoints, what
 * is known of load and time, and what is asked of the scheduler ({@link
 * io.meces.core.job.RescaleContext}). Owned by the JobMaster's main thread.
 */
package io.meces.core.job;
