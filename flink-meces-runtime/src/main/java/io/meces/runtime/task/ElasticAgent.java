// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.task;

import io.meces.core.command.MigrationReporter;
import io.meces.core.command.MigrationReports;
import io.meces.core.command.StateDescription;
import io.meces.core.command.TaskCommand;
import io.meces.core.command.TaskReport;
import io.meces.core.exchange.Handovers;
import io.meces.core.exchange.PeerLink;
import io.meces.core.exchange.TaskThread;
import io.meces.core.exchange.TransitionAddress;
import io.meces.core.id.AttemptId;
import io.meces.core.plan.VertexLayout;
import io.meces.core.protocol.MigrationEnvironment;
import io.meces.core.protocol.MigrationInputs;
import io.meces.core.protocol.MigrationSettings;
import io.meces.core.protocol.ResultDrain;
import io.meces.core.protocol.SubtaskRescale;
import io.meces.core.store.UnitState;
import io.meces.runtime.FlinkIds;
import io.meces.runtime.shuffle.ElasticInputGate;
import io.meces.runtime.shuffle.TaskLinks;
import io.meces.runtime.sink.KafkaWriters;
import io.meces.runtime.transition.DropReason;
import io.meces.runtime.transition.Transition;
import io.meces.runtime.transition.TransitionMessage;
import io.meces.state.ElasticKeyedStateBackend;
import io.meces.state.UnitStore;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import javax.annotation.Nullable;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.runtime.state.KeyedStateBackend;
import org.apache.flink.streaming.runtime.tasks.OperatorChain;
import org.apache.flink.streaming.runtime.tasks.StreamOperatorWrapper;

/**
 * Has an elastic task of Flink driven by a {@link SubtaskRescale}: with its mailbox, inputs and
 * operators, and the transition service of the TaskManager.
 *
 * <p>Owned by the task thread.
 */
final class ElasticAgent implements MigrationEnvironment<InputElement> {

    /** How often it is told that something is being deleted. */
    private static final long CLEARING_PERIOD_NANOS = 1_000_000_000;

    /** How soon it is told that messages do not get through. */
    private static final Duration OUTAGE_PERIOD = Duration.ofSeconds(1);

    private final Environment environment;
    private final Transition transition;
    private final AttemptId attempt;
    private final InputGroup inputs;
    private final OperatorChain<?, ?> chain;
    private final KeyClocks clocks;
    private final Handovers.Port consumers;
    private final Consumer<TaskReport> jobManager;
    private final MigrationReports reports;
    private final TaskThread thread;
    private final TransitionLink link;
    private final SubtaskRescale<InputElement> driver;

    /** Done when all inputs are connected. */
    private final CompletableFuture<Void> connected;

    /** What to begin then. */
    @Nullable private TaskCommand.Begin waiting;

    /** It comes while the job runs, and its sinks have not been told yet after which checkpoint. */
    private boolean isNew;

    private final LoadMeter load;
    private final ScheduledFuture<?> measuring;
    private final AtomicBoolean measureScheduled = new AtomicBoolean();
    private final ScheduledFuture<?> watching;

    /** Of the transition service, as it was told last. */
    @Nullable private volatile String toldOutage;

    ElasticAgent(
            Environment environment,
            TaskLinks links,
            InputGroup inputs,
            OperatorChain<?, ?> chain,
            KeyClocks clocks,
            Handovers.Port consumers,
            TaskThread thread,
            Consumer<TaskReport> reports) {
        this.environment = environment;
        this.transition = links.transition();
        this.attempt = FlinkIds.of(links.attempt());
        this.inputs = inputs;
        this.chain = chain;
        this.clocks = clocks;
        this.consumers = consumers;
        this.jobManager = reports;
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
        this.isNew = subtask >= vertex.connected();
        this.driver =
                new SubtaskRescale<>(
                        new MigrationSettings(
                                subtask,
                                vertex.keyGroups(),
                                vertex.subGroups(),
                                transition.order(),
                                transition.flowControl(),
                                MigrationSettings.Pace.OF_TASKS,
                                transition.readAhead().share()),
                        this,
                        isNew);
        this.connected =
                CompletableFuture.allOf(
                        links.gates().stream()
                                .map(ElasticInputGate::whenConnected)
                                .toArray(CompletableFuture[]::new));
        this.load = new LoadMeter(chain, vertex.keyGroups());
        this.measuring = transition.every(LoadMeter.PERIOD, this::requestMeasuring);
        this.watching = transition.every(OUTAGE_PERIOD, this::lookForOutage);
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
        watching.cancel(false);
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
        // each rescale is told of one that lasts
        toldOutage = null;
        if (isNew) {
            isNew = false;
            KafkaWriters.beginAfter(
                    command.lastCheckpoint(),
                    chain,
                    ((ElasticTaskEnvironment) environment).transactional(),
                    environment);
        }
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
        Map<Integer, AttemptId> attempts = new HashMap<>();
        command.peers().forEach((subtask, peer) -> attempts.put(subtask, peer.attempt()));
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

    TaskReport.StateDescribed describeState(TaskCommand.DescribeState command)
            throws IOException, ClassNotFoundException {
        return new TaskReport.StateDescribed(
                command.rescale(),
                new StateDescription(
                        StateFormat.of(chain), StateFormat.obstacle(chain, command.others())));
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

    /** The thread of the timer. */
    private void lookForOutage() {
        String outage = transition.service().outage();
        if (!Objects.equals(outage, toldOutage)) {
            toldOutage = outage;
            thread.execute(
                    () -> jobManager.accept(new TaskReport.MessagesHindered(outage)),
                    "Tell of an outage of the transition service");
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
                        clocks,
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
