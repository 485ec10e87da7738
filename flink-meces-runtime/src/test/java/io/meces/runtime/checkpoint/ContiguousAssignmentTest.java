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
