// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import java.io.IOException;
import org.apache.flink.runtime.jobmaster.MiniDispatcherRestEndpoint;
import org.apache.flink.util.ConfigurationException;

/** Flink's REST endpoint of a cluster for one application, with its web UI. */
public abstract class ApplicationEndpoint extends MiniDispatcherRestEndpoint {

    protected ApplicationEndpoint(RestEndpoints.Parts parts)
            throws IOException, ConfigurationException {
        super(
                parts.dispatcher,
                parts.configuration,
                parts.handlers,
                parts.resourceManager,
                parts.blobs,
                parts.executor,
                parts.metrics,
                parts.leaderElection,
                parts.jobs,
                parts.fatalErrors);
    }
}
