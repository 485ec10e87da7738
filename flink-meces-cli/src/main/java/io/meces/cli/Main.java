// SPDX-License-Identifier: Apache-2.0
package io.meces.cli;

/** Runs the command line. */
public final class Main {

    private Main() {}

    /** Ends the JVM with one of the {@link ExitCodes}. */
    public static void main(String[] args) {
        System.exit(MecesCommand.commandLine().execute(args));
    }
}
