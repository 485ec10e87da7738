// SPDX-License-Identifier: Apache-2.0
package io.meces.cli;

import picocli.CommandLine;

/** Commands of another module, which {@code meces} has if it finds them by the service loader. */
public interface MoreCommands {

    /** Adds them as subcommands. */
    void addTo(CommandLine meces);
}
