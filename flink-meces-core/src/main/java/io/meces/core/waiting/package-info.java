// SPDX-License-Identifier: Apache-2.0
/**
 * Records that wait at a receiver for their unit, or for the data of their key; how long they do,
 * and how much memory those take that have been read ahead. Pure logic, owned by the task thread.
 */
package io.meces.core.waiting;
