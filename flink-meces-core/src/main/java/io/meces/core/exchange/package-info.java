// SPDX-License-Identifier: Apache-2.0
/**
 * Messages between the subtasks of a vertex: what they say, exactly-once and ordered delivery over
 * a transport that may lose, repeat, delay and reorder, and how much of the background travels at a
 * time. Pure logic: no I/O, no threads, no clock.
 */
package io.meces.core.exchange;
