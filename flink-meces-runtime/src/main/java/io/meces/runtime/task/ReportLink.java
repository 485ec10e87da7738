// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.task;

import io.meces.core.command.NumberedReports;
import io.meces.core.command.ReportOutbox;
import io.meces.core.command.TaskReport;
import io.meces.runtime.event.ReportEvent;
import io.meces.runtime.rpc.MecesCoordination;
import java.io.IOException;
import java.lang.reflect.Field;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.runtime.executiongraph.ExecutionAttemptID;
import org.apache.flink.runtime.jobgraph.tasks.TaskOperatorEventGateway;
import org.apache.flink.runtime.jobmaster.JobMasterOperatorEventGateway;
import org.apache.flink.runtime.taskexecutor.rpc.RpcTaskOperatorEventGateway;
import org.apache.flink.util.FlinkRuntimeException;
import org.apache.flink.util.SerializedValue;

/**
 * Sends reports by the call by which Flink sends events of operators. Flink's own gateway fails the
 * task if the call is not answered within {@code akka.ask.timeout}, so this one takes what is
 * behind it.
 *
 * <p>Thread-safe.
 */
final class ReportLink implements ReportOutbox.Link<TaskReport> {

    private final JobMasterOperatorEventGateway jobMaster;
    private final ExecutionAttemptID attempt;

    ReportLink(Environment environment) {
        this.jobMaster = behind(environment.getOperatorCoordinatorEventGateway());
        this.attempt = environment.getExecutionId();
    }

    private static JobMasterOperatorEventGateway behind(TaskOperatorEventGateway gateway) {
        try {
            Field field = RpcTaskOperatorEventGateway.class.getDeclaredField("rpcGateway");
            field.setAccessible(true);
            return (JobMasterOperatorEventGateway) field.get(gateway);
        } catch (ReflectiveOperationException | IllegalArgumentException e) {
            throw new FlinkRuntimeException("Cannot reach the JobMaster by " + gateway, e);
        }
    }

    @Override
    public CompletionStage<?> send(long first, List<TaskReport> reports) {
        try {
            return jobMaster.sendOperatorEventToCoordinator(
                    attempt,
                    MecesCoordination.OPERATOR_ID,
                    new SerializedValue<>(new ReportEvent(new NumberedReports(first, reports))));
        } catch (IOException e) {
            throw new FlinkRuntimeException("Cannot serialise " + reports, e);
        }
    }
}
