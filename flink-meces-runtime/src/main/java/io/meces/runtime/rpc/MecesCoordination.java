// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.rpc;

import io.meces.flink.runtime.OperatorUids;
import org.apache.flink.runtime.jobgraph.OperatorID;

/** The address of the rescale controller among the operator coordinators of a job. */
public final class MecesCoordination {

    /** The reserved uid; no operator of a user has it. */
    public static final String UID = "io.meces.rescale-controller";

    /** What Flink makes of it. */
    public static final OperatorID OPERATOR_ID = OperatorUids.toId(UID);

    private MecesCoordination() {}
}
