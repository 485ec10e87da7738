// SPDX-License-Identifier: Apache-2.0
package io.meces.cli;

/** What the command line tells the shell. */
public final class ExitCodes {
    public static final int OK = 0;

    /**
     * A rescale has failed, or its end was not seen in time; a demo was not exact, or something
     * else went wrong.
     */
    public static final int FAILED = 1;

    static final int USAGE = 2;

    /** The JobManager has refused the request; nothing has changed. */
    static final int REFUSED = 3;

    static final int UNREACHABLE = 4;

    private ExitCodes() {}
}
