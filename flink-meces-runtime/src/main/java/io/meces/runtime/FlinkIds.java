/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
 * in compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License
 * is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
 * or implied. See the License for the specific language governing permissions and limitations under
 * the License.
 */

package io.meces.runtime;

import io.meces.core.id.AttemptId;
import io.meces.core.id.DataSetId;
import io.meces.core.id.OperatorId;
import io.meces.core.id.VertexId;
import org.apache.flink.runtime.executiongraph.ExecutionAttemptID;
import org.apache.flink.runtime.jobgraph.IntermediateDataSetID;
import org.apache.flink.runtime.jobgraph.JobVertexID;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.shaded.netty4.io.netty.buffer.ByteBuf;
import org.apache.flink.shaded.netty4.io.netty.buffer.Unpooled;

/** Flink's identifiers as those of flink-meces-core, and back. The bits are the same. */
public final class FlinkIds {

    private static final int BYTES = 2 * Long.BYTES;

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
        ByteBuf bits = Unpooled.buffer(BYTES, BYTES);
        id.writeTo(bits);
        return new AttemptId(bits.readLong(), bits.readLong());
    }

    public static ExecutionAttemptID flinks(AttemptId id) {
        return ExecutionAttemptID.fromByteBuf(
                Unpooled.buffer(BYTES, BYTES).writeLong(id.lower()).writeLong(id.upper()));
    }
}
