// SPDX-License-Identifier: Apache-2.0
/**
 * Exactly-once, ordered delivery between the subtasks of a vertex, over a transport that may lose,
 * repeat, delay and reorder. Pure logic: no I/O, no threads, no clock.
 */
package io.meces.core.messaging;
