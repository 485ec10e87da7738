// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.measure;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.annotation.Nullable;

/**
 * How the results of a run compare with what they should be. Whoever verifies fills it; then it
 * does not change any more.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public final class Verdict {
    private static final int MAX_EXAMPLES = 20;

    /** That were sent; of NEXMark the lines and markers that had to come. */
    public long records;

    public long results;

    /** Records without a result; null: not known, as of a run that was cut short. */
    @Nullable public Long lost;

    /** Results of records that had one already. */
    public long duplicated;

    /**
     * Results that a job wrote after the savepoint with which it was stopped, and its successor
     * again. Flink 1.12 goes on with what is in its network until all has stopped; a sink that
     * writes at least once shows it. Not among {@link #duplicated}.
     */
    public long repeatedAtStop;

    /**
     * Results that a job wrote again after Flink had restarted it from a checkpoint, as a sink does
     * that writes at least once. Not among {@link #duplicated}.
     */
    public long replayed;

    /**
     * Results whose count is wrong or whose record did not follow its predecessor; null where no
     * order is promised.
     */
    @Nullable public Long reordered;

    /** Results, counted in order, that came in behind one of a later record of their key. */
    public long overtakenInTopic;

    /** Results of records that nobody sent. */
    public long unknown;

    /** How many results each subtask has sent. */
    public final Map<Integer, Long> resultsPerSubtask = new TreeMap<>();

    /** Some of what was wrong, in words. */
    public final List<String> examples = new ArrayList<>();

    /** Adds an example unless there are many. */
    public void example(String text) {
        if (examples.size() < MAX_EXAMPLES) {
            examples.add(text);
        }
    }

    /**
     * Takes what came twice, with the same count, for a replay: that is what it is when Flink has
     * restarted the job on its own.
     */
    public void excuseReplays() {
        replayed += duplicated;
        duplicated = 0;
        if (isExactBesidesDuplicates()) {
            examples.clear();
        }
    }

    @JsonProperty("exact")
    public boolean isExact() {
        return duplicated == 0
                && isExactBesidesDuplicates()
                && results == records + repeatedAtStop + replayed;
    }

    /** Whether nothing is wrong but that there are duplicates. */
    public boolean isExactBesidesDuplicates() {
        return lost != null && lost == 0 && unknown == 0 && (reordered == null || reordered == 0);
    }

    /** In a few words. */
    @Override
    public String toString() {
        if (!isExact()) {
            return "NOT EXACT";
        }
        return replayed == 0 ? "exact" : "exact, " + replayed + " results replayed after a restart";
    }
}
