// SPDX-License-Identifier: Apache-2.0
package io.meces.state;

import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.configuration.IllegalConfigurationException;
import org.apache.flink.configuration.ReadableConfig;

/** The options of the state backend, as they stand in {@code flink-conf.yaml}. */
public final class MecesStateOptions {

    public static final ConfigOption<Integer> SUB_GROUPS =
            ConfigOptions.key("meces.state.sub-groups")
                    .intType()
                    .defaultValue(16)
                    .withDescription(
                            "Into how many sub-groups (1 to "
                                    + SubGroups.MAX
                                    + ") each key-group is divided: the granularity in which state"
                                    + " moves between subtasks while a job is rescaled. Checkpoints"
                                    + " and savepoints do not depend on it.");

    private MecesStateOptions() {}

    /**
     * The configured number of sub-groups.
     *
     * @throws IllegalConfigurationException naming key and range, if it is no number in the range
     */
    static int subGroups(ReadableConfig config) {
        final int value;
        try {
            value = config.get(SUB_GROUPS);
        } catch (IllegalArgumentException e) {
            throw new IllegalConfigurationException(outOfRange("not a number"), e);
        }
        return checkSubGroups(value);
    }

    /**
     * Returns the value if it is in the range.
     *
     * @throws IllegalConfigurationException naming key and range, if it is not
     */
    static int checkSubGroups(int value) {
        if (!SubGroups.isValid(value)) {
            throw new IllegalConfigurationException(outOfRange(String.valueOf(value)));
        }
        return value;
    }

    private static String outOfRange(String value) {
        return SUB_GROUPS.key() + " must be in the range 1.." + SubGroups.MAX + ", but is " + value;
    }
}
