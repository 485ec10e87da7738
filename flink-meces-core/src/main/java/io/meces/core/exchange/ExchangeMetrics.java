// SPDX-License-Identifier: Apache-2.0
package io.meces.core.exchange;

/** Who counts what subtasks exchange. Thread-safe. */
public interface ExchangeMetrics {

    /** A receiver has asked for a unit. */
    void requested();

    /** A unit has come that was asked for so long ago. */
    void fetched(long nanos);

    /** A donor has given a unit away. */
    void granted(boolean onDemand);

    /** Units have been sent so long ago that are now known to have come. */
    void confirmed(long nanos);

    /** Messages were sent again, as they were not acknowledged in time. */
    void repeated(long messages);

    /** Messages were dropped that had come before. */
    void duplicates(long messages);

    /** A message was dropped that belongs to another step, rescale or attempt. */
    void stale();

    /** A message was dropped that makes no sense. */
    void malformed();

    /** A receiver has installed a unit. */
    default void installed() {
        // who counts for a whole process has units that were given, and these are the same
    }

    /** A donor has taken a unit out of its state; how it is sent can change after that. */
    default void extracted() {
        // who counts for a whole process counts how units are sent
    }

    /** A record has waited so long at a new owner. */
    default void waited(long nanos) {
        // what a whole process shares is not updated for each record
    }

    /** How much waits at a subtask now. */
    default void waiting(int parkedRecords, int backlog) {
        // it means nothing but for one subtask
    }
}
