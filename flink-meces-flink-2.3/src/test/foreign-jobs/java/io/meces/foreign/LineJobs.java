// SPDX-License-Identifier: Apache-2.0
package io.meces.foreign;

import java.util.ArrayList;
import java.util.List;

/** Jobs that not all lines of Flink run. */
final class LineJobs {

    private LineJobs() {}

    static List<ForeignJob> all() {
        List<ForeignJob> jobs = new ArrayList<>();
        jobs.addAll(WindowTableJobs.all());
        jobs.addAll(NewSqlJobs.all());
        jobs.addAll(NewStreamJobs.all());
        jobs.addAll(FunctionTableJobs.all());
        jobs.addAll(NewestSqlJobs.all());
        jobs.addAll(AsynchronousJobs.all());
        return jobs;
    }
}
