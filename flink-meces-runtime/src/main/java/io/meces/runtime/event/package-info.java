/**
 * What travels between tasks in-band with the records, and between the scheduler and the tasks by
 * Flink's operator events.
 */
package io.meces.runtime.event;
