// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.runtime.rest.handler.legacy.metrics;

import java.util.List;

/** Bridge: forgets metrics. Thread-safe. */
public final class MetricStoreAccess {

    private MetricStoreAccess() {}

    /** Forgets those of all jobs but these. */
    public static void retainJobs(MetricStore store, List<String> jobs) {
        store.retainJobs(jobs);
    }
}
