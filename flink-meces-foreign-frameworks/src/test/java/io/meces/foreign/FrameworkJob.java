// SPDX-License-Identifier: Apache-2.0
package io.meces.foreign;

import java.util.List;
import java.util.concurrent.Callable;

/** A job of a framework, submitted by its own entry point. Immutable. */
final class FrameworkJob {

    /** As in the first column of the table. */
    final String name;

    final Comparison comparison;
    final Program program;

    /** Whether its vertices can have more subtasks, but not fewer. */
    final boolean growsOnly;

    FrameworkJob(String name, Comparison comparison, Program program) {
        this(name, comparison, program, false);
    }

    private FrameworkJob(String name, Comparison comparison, Program program, boolean growsOnly) {
        this.name = name;
        this.comparison = comparison;
        this.program = program;
        this.growsOnly = growsOnly;
    }

    /** The same, rescaled to more subtasks only. */
    FrameworkJob growing() {
        return new FrameworkJob(name, comparison, program, true);
    }

    @Override
    public String toString() {
        return name;
    }

    /** Builds a job from the sources to the sink, and executes it in the run's environment. */
    interface Program {
        /**
         * Called once for each run.
         *
         * @return what gives the results, when the job has ended
         */
        Callable<List<String>> execute(Run run) throws Exception;
    }
}
