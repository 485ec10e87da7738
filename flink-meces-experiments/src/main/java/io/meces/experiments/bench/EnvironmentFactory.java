// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.bench;

import io.meces.experiments.run.Environment;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Where a benchmark takes place. */
interface EnvironmentFactory {
    /**
     * Looks whether runs are possible. Changes nothing.
     *
     * @param mechanisms of all runs
     * @throws java.io.IOException if they are not, with a message for the user
     */
    void check(List<Mechanism> mechanisms) throws Exception;

    /**
     * Prepares a run, some minutes at most. To be closed after the run. If it throws, nothing is
     * left.
     *
     * @param mechanism what will be run
     * @param logs where logs go, if there are any
     */
    Environment open(Mechanism mechanism, Path logs) throws Exception;

    /** What each run has for itself, for a sentence of the report. */
    String ownOfRun();

    /** What there is to say of it besides the options, for the report. */
    Map<String, Object> parameters();

    /** Versions and machines, for the report. */
    Map<String, Object> versions();
}
