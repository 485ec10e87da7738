// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import java.io.IOException;
import org.apache.flink.runtime.dispatcher.DispatcherRestEndpoint;
import org.apache.flink.util.ConfigurationException;

/** Flink's REST endpoint of a session cluster, with its web UI and the upload of jars. */
public abstract class SessionEndpoint extends DispatcherRestEndpoint {

    protected SessionEndpoint(RestEndpoints.Parts parts)
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
