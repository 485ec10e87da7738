// SPDX-License-Identifier: Apache-2.0
package io.meces.core.simulation;

import io.meces.core.id.AttemptId;
import io.meces.core.id.VertexId;
import io.meces.core.rescale.JobCompletion;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/** All subtasks of a job, of each vertex as many as its capacity, and which of them have ended. */
final class Places implements JobCompletion.Job<Places.Place> {

    private final JobMaster master;

    /** Those that were never deployed, and count as finished. */
    private final Set<Place> finishedInactive = new HashSet<>();

    Places(JobMaster master) {
        this.master = master;
    }

    /** The job starts anew. */
    void reset() {
        finishedInactive.clear();
    }

    boolean areAllFinished() {
        return subtasks().stream()
                .allMatch(place -> isFinished(place) || finishedInactive.contains(place));
    }

    /** The current attempts. */
    List<AttemptId> attempts() {
        List<AttemptId> attempts = new ArrayList<>();
        subtasks().forEach(place -> attempts.add(master.attempt(place.vertex, place.subtask)));
        return attempts;
    }

    @Override
    public List<Place> subtasks() {
        VertexId elastic = master.vertex().id();
        List<Place> places = new ArrayList<>();
        for (VertexId vertex : master.vertices()) {
            int subtasks =
                    vertex.equals(elastic)
                            ? master.vertex().capacity()
                            : master.activeSubtasks(vertex);
            IntStream.range(0, subtasks).forEach(i -> places.add(new Place(vertex, i)));
        }
        return places;
    }

    @Override
    public boolean isActive(Place place) {
        return !place.vertex.equals(master.vertex().id())
                || place.subtask < master.vertex().deployed();
    }

    @Override
    public boolean isFinished(Place place) {
        return master.isFinished(place.vertex, place.subtask);
    }

    @Override
    public void finish(Place inactive) {
        // not one that is being cancelled
        if (!master.isDeployed(inactive.vertex, inactive.subtask)) {
            finishedInactive.add(inactive);
        }
    }

    /** A subtask, whatever its attempt. */
    static final class Place {
        private final VertexId vertex;
        private final int subtask;

        private Place(VertexId vertex, int subtask) {
            this.vertex = vertex;
            this.subtask = subtask;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Place
                    && ((Place) other).vertex.equals(vertex)
                    && ((Place) other).subtask == subtask;
        }

        @Override
        public int hashCode() {
            return 31 * vertex.hashCode() + subtask;
        }
    }
}
