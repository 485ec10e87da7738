// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.dispatcher.ArchivedApplicationStore;
import org.apache.flink.runtime.dispatcher.MemoryArchivedApplicationStore;
import org.apache.flink.runtime.entrypoint.ClusterEntrypoint;
import org.apache.flink.util.concurrent.ScheduledExecutor;

/** A JobManager of a cluster for one job on YARN, which Flink has no more: none is started. */
public abstract class YarnJobEntrypoint extends ClusterEntrypoint {

    protected YarnJobEntrypoint(Configuration configuration) {
        super(configuration);
    }

    @Override
    protected final ArchivedApplicationStore createArchivedApplicationStore(
            Configuration configuration, ScheduledExecutor executor) {
        return new MemoryArchivedApplicationStore();
    }
}
