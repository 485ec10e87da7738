// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.rest;

import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import org.apache.flink.runtime.rest.messages.JobMessageParameters;
import org.apache.flink.runtime.rest.messages.MessagePathParameter;
import org.apache.flink.runtime.rest.messages.MessageQueryParameter;

/** The job, the rescale, and what becomes of what has moved. */
public final class AbortMessageParameters extends JobMessageParameters {

    public final RescaleIdPathParameter rescaleId = new RescaleIdPathParameter();
    public final AbortModeQueryParameter mode = new AbortModeQueryParameter();

    @Override
    public Collection<MessagePathParameter<?>> getPathParameters() {
        return Arrays.asList(jobPathParameter, rescaleId);
    }

    @Override
    public Collection<MessageQueryParameter<?>> getQueryParameters() {
        return Collections.singletonList(mode);
    }
}
