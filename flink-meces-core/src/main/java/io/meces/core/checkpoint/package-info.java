// SPDX-License-Identifier: Apache-2.0
/**
 * Which checkpoints wait while a job is rescaled, which are aborted, and for which subtasks they
 * are acknowledged.
 */
package io.meces.core.checkpoint;
