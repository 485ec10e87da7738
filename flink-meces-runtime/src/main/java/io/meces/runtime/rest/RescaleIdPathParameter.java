// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.rest;

import org.apache.flink.runtime.rest.messages.MessagePathParameter;

/** Identifies a rescale within its job. Any text: the controller knows which ids there are. */
public final class RescaleIdPathParameter extends MessagePathParameter<String> {

    static final String KEY = "rescaleid";

    RescaleIdPathParameter() {
        super(KEY);
    }

    @Override
    protected String convertFromString(String value) {
        return value;
    }

    @Override
    protected String convertToString(String value) {
        return value;
    }

    @Override
    public String getDescription() {
        return "32-character hexadecimal string value that identifies a rescale of the job.";
    }
}
