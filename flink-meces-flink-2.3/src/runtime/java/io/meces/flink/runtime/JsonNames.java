// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.PropertyNamingStrategies;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.PropertyNamingStrategy;

/** How fields are called in JSON. */
public final class JsonNames {

    public static final PropertyNamingStrategy KEBAB_CASE = PropertyNamingStrategies.KEBAB_CASE;

    private JsonNames() {}
}
