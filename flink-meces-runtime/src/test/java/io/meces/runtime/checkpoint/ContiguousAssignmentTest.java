// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.core.plan.Assignment;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.junit.jupiter.api.Test;

/** A plan begins with the key-groups where Flink restores them. */
class ContiguousAssignmentTest {

    @Test
    void contiguousIsFlinksOwn() {
        for (int keyGroups : new int[] {1, 2, 7, 128, 1000, 32768}) {
            for (int parallelism : new int[] {1, 2, 3, 7, 100, 128, 999, 32768}) {
                if (parallelism <= keyGroups) {
                    Assignment assignment = Assignment.contiguous(keyGroups, parallelism);
                    assertThat(assignment.parallelism()).isEqualTo(parallelism);
                    for (int keyGroup = 0; keyGroup < keyGroups; keyGroup++) {
                        assertThat(assignment.owner(keyGroup))
                                .isEqualTo(
                                        KeyGroupRangeAssignment.computeOperatorIndexForKeyGroup(
                                                keyGroups, parallelism, keyGroup));
                    }
                }
            }
        }
    }
}
