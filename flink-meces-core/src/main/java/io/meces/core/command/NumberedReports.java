// SPDX-License-Identifier: Apache-2.0
package io.meces.core.command;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Consecutive reports of a task. One that is not confirmed comes again. */
public final class NumberedReports implements Serializable {
    private static final long serialVersionUID = 1L;

    /** The number of the first; the first of a task is 0. */
    public final long first;

    private final List<TaskReport> reports;

    public NumberedReports(long first, List<TaskReport> reports) {
        this.first = first;
        this.reports = new ArrayList<>(reports);
    }

    public List<TaskReport> reports() {
        return Collections.unmodifiableList(reports);
    }

    @Override
    public String toString() {
        return reports + " from number " + first;
    }
}
