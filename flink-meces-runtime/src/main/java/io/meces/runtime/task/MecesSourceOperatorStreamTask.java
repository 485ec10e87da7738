/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
 * in compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License
 * is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
 * or implied. See the License for the specific language governing permissions and limitations under
 * the License.
 */

package io.meces.runtime.task;

import io.meces.runtime.source.PendingRecords;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.streaming.runtime.tasks.SourceOperatorStreamTask;
import org.apache.flink.streaming.runtime.tasks.StreamTaskAccess;
import org.apache.flink.streaming.runtime.tasks.mailbox.MailboxDefaultAction;

/** A source of FLIP-27 before an elastic vertex. */
public final class MecesSourceOperatorStreamTask<T> extends SourceOperatorStreamTask<T> {

    private final TaskAgent agent;
    private final Suspensions suspensions;
    private boolean isKnown;

    public MecesSourceOperatorStreamTask(Environment environment) throws Exception {
        super(TaskAgent.enter(environment));
        agent = new TaskAgent(getEnvironment());
        suspensions = agent.suspensions();
    }

    @Override
    protected void processInput(MailboxDefaultAction.Controller controller) throws Exception {
        if (!isKnown) {
            // the reader is made when the task has been restored
            PendingRecords.register(mainOperator.getSourceReader(), mainOperator.getMetricGroup());
            isKnown = true;
        }
        super.processInput(suspensions.of(controller));
    }

    @Override
    public void init() throws Exception {
        super.init();
        agent.start(operatorChain, StreamTaskAccess.mailbox(this));
    }
}
