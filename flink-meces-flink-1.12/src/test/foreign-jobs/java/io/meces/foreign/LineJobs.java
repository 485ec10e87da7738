// SPDX-License-Identifier: Apache-2.0
package io.meces.foreign;

import java.util.List;

/** Jobs that not all lines of Flink run. */
final class LineJobs {

    private LineJobs() {}

    static List<ForeignJob> all() {
        return IterationJobs.all();
    }
}
