// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.rest;

import io.meces.api.AbortMode;
import io.meces.api.RescaleRefusedException;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.flink.runtime.rest.messages.MessageParameter;
import org.apache.flink.runtime.rest.messages.MessageQueryParameter;

/**
 * What becomes of the key-groups that an aborted rescale has moved. Any text, so that the answer to
 * one that is unknown can name those that are known.
 */
public final class AbortModeQueryParameter extends MessageQueryParameter<String> {

    static final String KEY = "mode";

    AbortModeQueryParameter() {
        super(KEY, MessageParameter.MessageParameterRequisiteness.OPTIONAL);
    }

    /**
     * The mode that a request asks for.
     *
     * @throws RescaleRefusedException if there is no such mode
     */
    static AbortMode parse(List<String> values) throws RescaleRefusedException {
        if (values.isEmpty()) {
            return AbortMode.STOP;
        }
        for (AbortMode mode : AbortMode.values()) {
            if (values.size() == 1 && mode.parameter().equals(values.get(0))) {
                return mode;
            }
        }
        throw new RescaleRefusedException(
                RescaleRefusedException.Kind.BAD_REQUEST,
                KEY
                        + "="
                        + String.join(",", values)
                        + " is unknown; it can be "
                        + Arrays.stream(AbortMode.values())
                                .map(AbortMode::parameter)
                                .collect(Collectors.joining(" or "))
                        + ".");
    }

    @Override
    public String convertStringToValue(String value) {
        return value;
    }

    @Override
    public String convertValueToString(String value) {
        return value;
    }

    @Override
    public String getDescription() {
        return "stop (default): what has moved stays where it is; rollback: it moves back.";
    }
}
