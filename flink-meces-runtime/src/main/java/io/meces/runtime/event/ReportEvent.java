// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.event;

import io.meces.core.command.NumberedReports;
import org.apache.flink.runtime.operators.coordination.OperatorEvent;

/** Reports on their way to the scheduler. */
public final class ReportEvent implements OperatorEvent {
    private static final long serialVersionUID = 1L;

    private final NumberedReports reports;

    public ReportEvent(NumberedReports reports) {
        this.reports = reports;
    }

    public NumberedReports reports() {
        return reports;
    }

    @Override
    public String toString() {
        return reports.toString();
    }
}
