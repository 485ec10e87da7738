// SPDX-License-Identifier: Apache-2.0
package io.meces.cli;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;
import picocli.CommandLine.IVersionProvider;

/** What {@code meces --version} prints. */
final class VersionProvider implements IVersionProvider {

    @Override
    public String[] getVersion() throws IOException {
        Properties build = new Properties();
        try (InputStream in = VersionProvider.class.getResourceAsStream("build.properties")) {
            build.load(in);
        }
        return new String[] {
            "flink-meces "
                    + build.getProperty("version")
                    + " for Flink 1.12, built with "
                    + build.getProperty("flink.version")
        };
    }
}
