// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.scheduler;

import io.meces.core.id.AttemptId;
import io.meces.flink.runtime.WeakValues;
import io.meces.runtime.FlinkIds;
import java.util.concurrent.ConcurrentMap;
import javax.annotation.Nullable;
import org.apache.flink.runtime.executiongraph.ExecutionAttemptID;

/**
 * Flink's identifiers of attempts by ours, of which Flink's cannot be made on every line. Those
 * that Flink itself has forgotten are forgotten. Thread-safe.
 */
final class KnownAttempts {

    private final ConcurrentMap<AttemptId, ExecutionAttemptID> flinks = WeakValues.newMap();

    AttemptId of(ExecutionAttemptID attempt) {
        AttemptId id = FlinkIds.of(attempt);
        flinks.put(id, attempt);
        return id;
    }

    /** Null: neither the execution graph nor a checkpoint has it any more. */
    @Nullable
    ExecutionAttemptID flinks(AttemptId attempt) {
        return flinks.get(attempt);
    }
}
