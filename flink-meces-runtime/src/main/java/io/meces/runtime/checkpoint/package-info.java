// SPDX-License-Identifier: Apache-2.0
/**
 * What becomes of checkpoints: they are held back while a step runs, show elastic vertices as of a
 * stock job, and are redistributed to the active subtasks.
 */
package io.meces.runtime.checkpoint;
