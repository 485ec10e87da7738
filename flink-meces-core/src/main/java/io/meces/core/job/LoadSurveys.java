// SPDX-License-Identifier: Apache-2.0
package io.meces.core.job;

import io.meces.core.command.TaskReport;
import io.meces.core.id.AttemptId;
import io.meces.core.id.VertexId;
import io.meces.core.plan.VertexLoad;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** The surveys of the load of vertices that run. Owned by the JobMaster's main thread. */
public final class LoadSurveys {

    private final RescaleContext context;
    private final Set<LoadSurvey> running = new LinkedHashSet<>();

    public LoadSurveys(RescaleContext context) {
        this.context = context;
    }

    /** The load of some vertices, as their subtasks tell it. */
    public CompletableFuture<Map<VertexId, VertexLoad>> begin(Set<ElasticVertex> asked) {
        LoadSurvey survey = new LoadSurvey(asked, context);
        running.add(survey);
        return survey.begin().whenComplete((loads, failure) -> running.remove(survey));
    }

    public void onReport(AttemptId task, TaskReport.Load report) {
        for (LoadSurvey survey : new ArrayList<>(running)) {
            survey.onReport(task, report);
        }
    }

    /** They will not come to an end. */
    public void fail(String reason) {
        new ArrayList<>(running).forEach(survey -> survey.fail(reason));
    }
}
