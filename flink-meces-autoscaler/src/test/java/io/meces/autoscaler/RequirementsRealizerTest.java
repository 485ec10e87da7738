// SPDX-License-Identifier: Apache-2.0
package io.meces.autoscaler;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collections;
import org.apache.flink.api.common.JobID;
import org.apache.flink.runtime.jobgraph.JobResourceRequirements;
import org.apache.flink.runtime.jobgraph.JobVertexID;
import org.apache.flink.runtime.jobgraph.JobVertexResourceRequirements;
import org.junit.jupiter.api.Test;

class RequirementsRealizerTest {

    @Test
    void jsonIsAsTheRestInterfaceTakesIt() throws Exception {
        assertThat(
                        RequirementsRealizer.json(
                                new JobID(0, 1),
                                new JobResourceRequirements(
                                        Collections.singletonMap(
                                                new JobVertexID(0, 2),
                                                new JobVertexResourceRequirements(
                                                        new JobVertexResourceRequirements
                                                                .Parallelism(1, 4))))))
                .isEqualTo(
                        "{\"id\":\"00000000000000000000000000000001\","
                                + "\"resource-requirements\":"
                                + "{\"00000000000000000000000000000002\":"
                                + "{\"parallelism\":{\"lowerBound\":1,\"upperBound\":4}}}}");
    }
}
