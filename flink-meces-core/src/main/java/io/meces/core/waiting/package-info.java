// SPDX-License-Identifier: Apache-2.0
/**
 * What waits at a subtask: {@link io.meces.core.waiting.Waiting} holds all elements that have been
 * read and not processed; how long records wait, and how much memory those take that have been read
 * ahead. Pure logic, owned by the task thread.
 */
package io.meces.core.waiting;
