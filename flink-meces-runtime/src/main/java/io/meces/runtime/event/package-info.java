// SPDX-License-Identifier: Apache-2.0
/**
 * What travels between tasks in-band with the records, and, in Flink's operator events, the
 * commands and reports between the scheduler and the tasks.
 */
package io.meces.runtime.event;
