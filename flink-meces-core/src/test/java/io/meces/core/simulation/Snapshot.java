// SPDX-License-Identifier: Apache-2.0
package io.meces.core.simulation;

import io.meces.core.job.StoredElasticity;
import io.meces.core.plan.Assignment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.annotation.Nullable;

/** A checkpoint: what the tasks have put into it. */
final class Snapshot {

    final long id;
    final int[] positions;

    /** By unit; where more than one subtask has a unit, something is wrong. */
    final Map<Integer, List<SimulatedUnit>> units = new HashMap<>();

    /** By elastic subtask: how many broadcast records of each upstream are in its state. */
    final Map<Integer, int[]> broadcastStates = new HashMap<>();

    /** By elastic subtask: its list state, a number that is summed up when it is redistributed. */
    final Map<Integer, Long> listStates = new HashMap<>();

    /** By elastic subtask: the format in which its list state is written. */
    final Map<Integer, Byte> listFormats = new HashMap<>();

    /** What the controller has stored; null: nothing. */
    @Nullable StoredElasticity elasticity;

    /** The assignment that records in flight are of, as it is unaligned; null: it has none. */
    @Nullable Assignment inFlight;

    /** The assignment, if it was taken while no rescale ran. */
    @Nullable Assignment atRest;

    /** List state of subtasks that are gone. */
    long carried;

    /** What is to be committed once this checkpoint is complete. */
    final List<Transaction> transactions = new ArrayList<>();

    Snapshot(long id, int upstreams) {
        this.id = id;
        this.positions = new int[upstreams];
    }

    /** Adds the part of an elastic subtask. */
    void add(Snapshot part) {
        part.units.forEach(
                (unit, copies) ->
                        units.computeIfAbsent(unit, u -> new ArrayList<>()).addAll(copies));
        broadcastStates.putAll(part.broadcastStates);
        listStates.putAll(part.listStates);
        listFormats.putAll(part.listFormats);
        transactions.addAll(part.transactions);
    }

    long listState() {
        return carried + listStates.values().stream().mapToLong(n -> n).sum();
    }
}
