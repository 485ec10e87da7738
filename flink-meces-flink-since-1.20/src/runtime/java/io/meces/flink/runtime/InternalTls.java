// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.SecurityOptions;

/** Whether processes of a cluster talk by TLS. Pure. */
public final class InternalTls {

    private InternalTls() {}

    public static boolean isEnabled(Configuration configuration) {
        return SecurityOptions.isInternalSSLEnabled(configuration);
    }
}
