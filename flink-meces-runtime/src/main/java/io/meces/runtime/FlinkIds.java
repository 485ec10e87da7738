// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime;

import io.meces.core.id.AttemptId;
import io.meces.core.id.DataSetId;
import io.meces.core.id.OperatorId;
import io.meces.core.id.VertexId;
import io.meces.flink.runtime.AttemptBits;
import org.apache.flink.runtime.executiongraph.ExecutionAttemptID;
import org.apache.flink.runtime.jobgraph.IntermediateDataSetID;
import org.apache.flink.runtime.jobgraph.JobVertexID;
import org.apache.flink.runtime.jobgraph.OperatorID;

/**
 * Flink's identifiers as those of flink-meces-core, and back. The bits are the same, but for
 * attempts, as {@link AttemptBits} says.
 */
public final class FlinkIds {

    private FlinkIds() {}

    public static VertexId of(JobVertexID id) {
        return new VertexId(id.getLowerPart(), id.getUpperPart());
    }

    public static JobVertexID flinks(VertexId id) {
        return new JobVertexID(id.lower(), id.upper());
    }

    public static DataSetId of(IntermediateDataSetID id) {
        return new DataSetId(id.getLowerPart(), id.getUpperPart());
    }

    public static OperatorId of(OperatorID id) {
        return new OperatorId(id.getLowerPart(), id.getUpperPart());
    }

    public static AttemptId of(ExecutionAttemptID id) {
        long[] bits = AttemptBits.of(id);
        return new AttemptId(bits[0], bits[1]);
    }
}
