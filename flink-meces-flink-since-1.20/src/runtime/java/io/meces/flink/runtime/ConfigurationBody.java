// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.rest.messages.ConfigurationInfo;
import org.apache.flink.runtime.rest.messages.ResponseBody;

/** A configuration as REST shows it. Pure. */
public final class ConfigurationBody {

    private ConfigurationBody() {}

    public static ResponseBody of(Configuration configuration) {
        return ConfigurationInfo.from(configuration);
    }
}
