// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.rest;

import io.meces.api.Rescales;
import javax.annotation.Nullable;
import org.apache.flink.runtime.rest.messages.ResponseBody;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.annotation.JsonAutoDetect;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.annotation.JsonAutoDetect.Visibility;

/**
 * How many rescales that are remembered have ended how, and the last of each kind, as Flink 2.3
 * tells of its own. Fields are members of the JSON. Immutable.
 */
@JsonAutoDetect(fieldVisibility = Visibility.ANY)
final class RescaleOverview implements ResponseBody {

    private final Counts rescalesCounts = new Counts();
    private final Latest latest = new Latest();

    /** Called by Jackson. */
    private RescaleOverview() {}

    RescaleOverview(Rescales rescales) {
        for (RescaleEvent event : new RescaleHistory(rescales)) {
            if (event.terminalState() == null) {
                rescalesCounts.inProgress++;
                continue;
            }
            RescaleEvent.TerminalState end = event.terminalState();
            if (end == RescaleEvent.TerminalState.COMPLETED) {
                rescalesCounts.completed++;
                latest.completed = event;
            } else if (end == RescaleEvent.TerminalState.FAILED) {
                rescalesCounts.failed++;
                latest.failed = event;
            } else {
                rescalesCounts.ignored++;
                latest.ignored = event;
            }
        }
    }

    /** How many there were, by how they ended. */
    @JsonAutoDetect(fieldVisibility = Visibility.ANY)
    static final class Counts {
        long ignored;
        long inProgress;
        long completed;
        long failed;
    }

    /** The last one of each kind. */
    @JsonAutoDetect(fieldVisibility = Visibility.ANY)
    static final class Latest {
        @Nullable RescaleEvent completed;
        @Nullable RescaleEvent failed;
        @Nullable RescaleEvent ignored;
    }
}
