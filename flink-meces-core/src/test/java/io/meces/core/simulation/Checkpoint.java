// SPDX-License-Identifier: Apache-2.0
package io.meces.core.simulation;

import io.meces.core.id.AttemptId;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** A checkpoint that has been triggered and is not complete. */
final class Checkpoint {

    final long id;

    final Snapshot snapshot;

    /** Fails if it is aborted. */
    final CompletableFuture<Checkpoint> completion = new CompletableFuture<>();

    /** Those of the attempts that were current at its trigger that have not acknowledged it. */
    final Set<AttemptId> missing;

    /** Whether the tasks may have heard of it. */
    boolean begun;

    /** Whether it is for a user, so that no task is told when it is complete. */
    final boolean savepoint;

    Checkpoint(long id, int upstreams, Collection<AttemptId> attempts, boolean savepoint) {
        this.id = id;
        this.savepoint = savepoint;
        this.snapshot = new Snapshot(id, upstreams);
        this.missing = new HashSet<>(attempts);
    }
}
