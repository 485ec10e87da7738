// SPDX-License-Identifier: Apache-2.0
package io.meces.core.waiting;

/** A record, and since when it has waited. An immutable value. */
final class Parked<E> {
    final E record;
    final long sinceNanos;

    Parked(E record, long sinceNanos) {
        this.record = record;
        this.sinceNanos = sinceNanos;
    }
}
