// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.rest;

import io.meces.api.RescaleCause;
import io.meces.api.RescaleDetails;
import io.meces.api.RescaleStatus;
import io.meces.api.VertexChange;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.annotation.Nullable;
import org.apache.flink.runtime.rest.messages.ResponseBody;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.annotation.JsonAutoDetect;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.annotation.JsonAutoDetect.Visibility;

/**
 * A rescale as Flink 2.3 tells of those of its adaptive scheduler (FLIP-495, FLIP-487): its names
 * and values, so that what reads those reads ours. Fields are members of the JSON. Immutable.
 */
@JsonAutoDetect(
        fieldVisibility = Visibility.ANY,
        getterVisibility = Visibility.NONE,
        isGetterVisibility = Visibility.NONE)
final class RescaleEvent implements ResponseBody {

    /** How one has ended. */
    enum TerminalState {
        COMPLETED,
        FAILED,
        IGNORED
    }

    private String rescaleUuid;
    private String resourceRequirementsUuid;
    private long rescaleAttemptId;
    private Map<String, Vertex> vertices = Collections.emptyMap();

    /** By slot sharing group; empty: what is rescaled is vertices. */
    private Map<String, Object> slots = Collections.emptyMap();

    /** Null in lists; the times of ours are not kept. */
    @Nullable private List<Object> schedulerStates;

    private long startTimestampInMillis;
    @Nullable private Long endTimestampInMillis;
    @Nullable private TerminalState terminalState;
    private String triggerCause;
    @Nullable private String terminatedReason;

    private RescaleEvent() {}

    /** For a list. */
    static RescaleEvent brief(RescaleDetails rescale) {
        RescaleEvent event = new RescaleEvent();
        event.rescaleUuid = rescale.id();
        event.resourceRequirementsUuid = rescale.id();
        event.rescaleAttemptId = rescale.attempt();
        event.vertices = new LinkedHashMap<>();
        for (VertexChange change : rescale.vertices()) {
            event.vertices.put(change.id(), new Vertex(change, rescale.status()));
        }
        event.startTimestampInMillis = rescale.startTime();
        if (rescale.status().isTerminal()) {
            event.endTimestampInMillis = rescale.startTime() + rescale.durationMs();
        }
        event.triggerCause = triggerCause(rescale);
        RescaleStatus status = rescale.status();
        if (status == RescaleStatus.FINISHED) {
            event.terminalState = TerminalState.COMPLETED;
            event.terminatedReason = "SUCCEEDED";
        } else if (status == RescaleStatus.FAILED) {
            event.terminalState = TerminalState.FAILED;
            event.terminatedReason = "EXCEPTION_OCCURRED";
        } else if (status == RescaleStatus.ABORTED) {
            event.terminalState = TerminalState.IGNORED;
            event.terminatedReason = "RESOURCE_REQUIREMENTS_UPDATED";
        }
        return event;
    }

    /** Alone. */
    static RescaleEvent detailed(RescaleDetails rescale) {
        RescaleEvent event = brief(rescale);
        event.schedulerStates = Collections.emptyList();
        return event;
    }

    private static String triggerCause(RescaleDetails rescale) {
        RescaleCause cause = rescale.cause();
        return cause == RescaleCause.SLOTS
                ? "NEW_RESOURCE_AVAILABLE"
                : cause == RescaleCause.RECOVERY ? "RECOVERABLE_FAILOVER" : "UPDATE_REQUIREMENT";
    }

    @Nullable
    TerminalState terminalState() {
        return terminalState;
    }

    /** One vertex. */
    @JsonAutoDetect(fieldVisibility = Visibility.ANY)
    private static final class Vertex {
        private String jobVertexId;
        private String jobVertexName;
        @Nullable private String slotSharingGroupId;
        @Nullable private String slotSharingGroupName;
        private int desiredParallelism;
        private int sufficientParallelism;
        private int preRescaleParallelism;

        /** Null: it has not got there. */
        @Nullable private Integer postRescaleParallelism;

        Vertex() {}

        Vertex(VertexChange change, RescaleStatus status) {
            this.jobVertexId = change.id();
            this.jobVertexName = change.name();
            this.desiredParallelism = change.to();
            this.sufficientParallelism = change.to();
            this.preRescaleParallelism = change.from();
            this.postRescaleParallelism =
                    status == RescaleStatus.FINISHED ? (Integer) change.to() : null;
        }
    }
}
