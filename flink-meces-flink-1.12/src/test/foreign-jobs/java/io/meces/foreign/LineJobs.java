// SPDX-License-Identifier: Apache-2.0
package io.meces.foreign;

import java.util.Collections;
import java.util.List;

/** Jobs that only this line of Flink runs. */
final class LineJobs {

    private LineJobs() {}

    static List<ForeignJob> all() {
        return Collections.emptyList();
    }
}
