// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import org.apache.flink.configuration.Configuration;
import org.apache.flink.yarn.entrypoint.YarnJobClusterEntrypoint;

/** Flink's JobManager of a cluster for one job on YARN. */
public abstract class YarnJobEntrypoint extends YarnJobClusterEntrypoint {

    protected YarnJobEntrypoint(Configuration configuration) {
        super(configuration);
    }
}
