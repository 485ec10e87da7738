// SPDX-License-Identifier: Apache-2.0
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
