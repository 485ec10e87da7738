// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.rest;

import java.util.Arrays;
import java.util.Collection;
import org.apache.flink.runtime.rest.messages.JobMessageParameters;
import org.apache.flink.runtime.rest.messages.MessagePathParameter;

/** The job and the rescale. */
public final class RescaleMessageParameters extends JobMessageParameters {

    public final RescaleIdPathParameter rescaleId = new RescaleIdPathParameter();

    @Override
    public Collection<MessagePathParameter<?>> getPathParameters() {
        return Arrays.asList(jobPathParameter, rescaleId);
    }
}
