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

package io.meces.runtime.rpc;

import org.apache.flink.runtime.jobgraph.OperatorID;

/** The address of the rescale controller among the operator coordinators of a job. */
public final class MecesCoordination {

    /**
     * The reserved operator id; no operator of a user has it ("meces-control" in ASCII, padded).
     */
    public static final OperatorID OPERATOR_ID =
            new OperatorID(0x6d656365732d636fL, 0x6e74726f6c000001L);

    private MecesCoordination() {}
}
