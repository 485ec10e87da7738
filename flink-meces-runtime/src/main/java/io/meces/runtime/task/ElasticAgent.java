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

import io.meces.core.command.MigrationReporter;
import io.meces.core.command.TaskCommand;
import io.meces.core.command.TaskReport;
import io.meces.core.messaging.TransitionAddress;
import io.meces.core.migration.Handovers;
import io.meces.core.migration.MigrationDriver;
import io.meces.core.migration.MigrationEnvironment;
import io.meces.core.migration.MigrationInputs;
import io.meces.core.migration.MigrationReports;
import io.meces.core.migration.MigrationSettings;
import io.meces.core.migration.PeerLink;
import io.meces.core.migration.ResultDrain;
import io.meces.core.migration.TaskThread;
import io.meces.core.migration.UnitState;
import io.meces.core.plan.VertexLayout;
import io.meces.runtime.FlinkIds;
import io.meces.runtime.shuffle.ElasticInputGate;
import io.meces.runtime.shuffle.TaskLinks;
import io.meces.runtime.transition.DropReason;
import io.meces.runtime.transition.Transition;
import io.meces.runtime.transition.TransitionMessage;
import io.meces.state.ElasticKeyedStateBackend;
import io.meces.state.UnitStore;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import javax.annotation.Nullable;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.runtime.executiongraph.ExecutionAttemptID;
import org.apache.flink.runtime.state.KeyedStateBackend;
import org.apache.flink.streaming.runtime.tasks.OperatorChain;
import org.apache.flink.streaming.runtime.tasks.StreamOperatorWrapper;

/**
 * Has an elastic task of Flink driven by a {@link MigrationDriver}: with its mailbox, inputs and
 * operators, and the transition service of the TaskManager.
 *
 * <p>Owned by the task thread.
 */
final class ElasticAgent implements MigrationEnvironment<InputElement> {

    /** How often it is told that something is being deleted. */
    private static final long CLEARING_PERIOD_NANOS = 1_000_000_000;

    private final Environment environment;
    private final Transition transition;
    private final ExecutionAttemptID attempt;
    private final InputGroup inputs;
    private final OperatorChain<?, ?> chain;
    private final Handovers.Port consumers;
    private final MigrationReports reports;
    private final TaskThread thread;
    private final TransitionLink link;
    private final MigrationDriver<InputElement> driver;

    /** Done when all inputs are connected. */
    private final CompletableFuture<Void> connected;

    /** What to begin then. */
    @Nullable private TaskCommand.Begin waiting;

    private final LoadMeter load;
    private final ScheduledFuture<?> measuring;
    private final AtomicBoolean measureScheduled = new AtomicBoolean();

    ElasticAgent(
            Environment environment,
            TaskLinks links,
            InputGroup inputs,
            OperatorChain<?, ?> chain,
            Handovers.Port consumers,
            TaskThread thread,
            Consumer<TaskReport> reports) {
        this.environment = environment;
        this.transition = links.transition();
        this.attempt = links.attempt();
        this.inputs = inputs;
        this.chain = chain;
        this.consumers = consumers;
        this.reports = new MigrationReporter(this::address, reports);
        this.thread = thread;
        this.link =
                new TransitionLink(
                        transition,
                        new SubtaskMetrics(transition.metrics(), environment.getMetricGroup()),
                        environment.getJobID(),
                        environment.getJobVertexId(),
                        attempt,
                        environment.getTaskInfo().getIndexOfThisSubtask());
        VertexLayout vertex = links.vertex();
        int subtask = environment.getTaskInfo().getIndexOfThisSubtask();
        this.driver =
                new MigrationDriver<>(
                        new MigrationSettings(
                                subtask,
                                vertex.keyGroups(),
                                vertex.subGroups(),
                                transition.order(),
                                transition.flowControl(),
                                MigrationSettings.Pace.OF_TASKS,
                                transition.readAhead().share()),
                        this,
                        subtask >= vertex.connected());
        this.connected =
                CompletableFuture.allOf(
                        links.gates().stream()
                                .map(ElasticInputGate::whenConnected)
                                .toArray(CompletableFuture[]::new));
        this.load = new LoadMeter(chain, vertex.keyGroups());
        this.measuring = transition.every(LoadMeter.PERIOD, this::requestMeasuring);
        transition.service().register(attempt, this::onMessage);
        // the first mail: operators have been restored by then
        thread.execute(() -> reportClearing(reports), "Look for what belongs elsewhere");
    }

    private void reportClearing(Consumer<TaskReport> to) {
        if (stores(chain).stream().anyMatch(UnitStore::isClearing)) {
            to.accept(new TaskReport.Clearing());
            thread.executeAfter(
                    CLEARING_PERIOD_NANOS,
                    () -> reportClearing(to),
                    "Look for what belongs elsewhere again");
        }
    }

    /** Those of all operators with keyed state; they are not there yet when the task is made. */
    static List<UnitStore> stores(OperatorChain<?, ?> chain) {
        List<UnitStore> stores = new ArrayList<>();
        for (StreamOperatorWrapper<?, ?> wrapper : chain.getAllOperators()) {
            KeyedStateBackend<?> backend =
                    ElasticTimers.keyedStateBackend(wrapper.getStreamOperator());
            if (backend instanceof ElasticKeyedStateBackend) {
                stores.add(((ElasticKeyedStateBackend) backend).units());
            }
        }
        return stores;
    }

    /** Any thread. */
    private void onMessage(TransitionMessage message) {
        if (link.concerns(message)) {
            driver.onMessage(message);
        } else {
            transition.metrics().dropped(DropReason.STALE);
        }
    }

    /** Task thread, or the one that cleans up after it. */
    void close() {
        measuring.cancel(false);
        transition.service().unregister(attempt);
        driver.close();
    }

    // ------------------------------------------------------------------------
    //  Commands
    // ------------------------------------------------------------------------

    /**
     * Takes part in a rescale, as soon as all inputs are connected. A new subtask runs, for the
     * JobManager, before it is connected to its producers. If it cannot reach one of them it has to
     * fail before anything moves, so that the job need not restart.
     */
    void begin(TaskCommand.Begin command) throws Exception {
        if (connected.isDone()) {
            driver.begin(command.rescale(), command.receives(), command.singleUpstream());
            return;
        }
        waiting = command;
        connected.thenRun(
                () ->
                        thread.execute(
                                () -> {
                                    if (waiting == command) {
                                        waiting = null;
                                        begin(command);
                                    }
                                },
                                "All inputs are connected"));
    }

    void startStep(TaskCommand.StartStep command) throws Exception {
        link.meet(command.peers());
        Map<Integer, ExecutionAttemptID> attempts = new HashMap<>();
        command.peers()
                .forEach((subtask, peer) -> attempts.put(subtask, FlinkIds.flinks(peer.attempt())));
        driver.startStep(
                command.rescale(), command.moves(), attempts, command.watermarkOfReceivers());
    }

    void alignWatermark(TaskCommand.AlignWatermark command) throws Exception {
        driver.alignWatermark(command.rescale(), command.watermark(), command.asks());
    }

    void end(TaskCommand.End command) throws Exception {
        if (waiting != null && waiting.rescale().equals(command.rescale())) {
            waiting = null;
        }
        driver.end(command.rescale());
    }

    void endInput(TaskCommand.EndInput command) {
        driver.endInput(command.rescale());
    }

    TaskReport.Load measureLoad(TaskCommand.MeasureLoad command) {
        return load.measure(command.rescale());
    }

    /** Any thread. */
    void afterCheckpointComplete(long checkpoint) {
        thread.execute(
                () -> driver.afterCheckpointComplete(checkpoint), "A checkpoint is complete");
    }

    void afterProgress() throws Exception {
        driver.afterProgress();
    }

    private void requestMeasuring() {
        if (measureScheduled.compareAndSet(false, true)) {
            thread.execute(
                    () -> {
                        measureScheduled.set(false);
                        load.sample();
                    },
                    "Measure the load");
        }
    }

    // ------------------------------------------------------------------------
    //  MigrationEnvironment
    // ------------------------------------------------------------------------

    @Override
    public TaskThread thread() {
        return thread;
    }

    @Override
    public MigrationInputs<InputElement> inputs() {
        return inputs;
    }

    @Override
    public MigrationReports reports() {
        return reports;
    }

    @Override
    public Handovers.Port consumers() {
        return consumers;
    }

    @Override
    public UnitState openState() {
        UnitTransfer state =
                new UnitTransfer(
                        chain,
                        inputs.subGroups(),
                        environment.getUserCodeClassLoader().asClassLoader(),
                        transition.compression(),
                        transition.metrics(),
                        thread);
        inputs.keysAreOf(state.keys());
        return state;
    }

    @Override
    public ResultDrain openDrain() {
        return new ChainDrain(
                chain,
                environment.getUserCodeClassLoader().asClassLoader(),
                transition.drains(),
                thread);
    }

    @Override
    public PeerLink link() {
        return link;
    }

    @Override
    public void endOperators(Runnable whenQuiet) throws Exception {
        TaskDrain.endOperators(inputs, chain, whenQuiet);
    }

    private TransitionAddress address() {
        return transition
                .service()
                .address()
                .reachedAt(environment.getTaskManagerInfo().getTaskManagerExternalAddress());
    }
}
