// SPDX-License-Identifier: Apache-2.0
package io.meces.core.simulation;

import io.meces.core.checkpoint.RescaleException;
import io.meces.core.command.CommandLog;
import io.meces.core.command.NumberedReports;
import io.meces.core.command.ReportOutbox;
import io.meces.core.command.TaskCommand;
import io.meces.core.command.TaskReport;
import io.meces.core.exchange.TaskThread;
import io.meces.core.id.AttemptId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;

/** An attempt of a subtask: its mailbox, its ways to the JobManager and back, how it ends. */
abstract class SimulatedTask {

    /** Longer than the pause before a call is repeated. */
    private static final long LATE_NANOS = 700_000_000L;

    final AttemptId attempt;
    final String name;
    final int index;
    final Simulation world;
    final JobMaster master;
    final Execution job;
    final Wire toTask;
    private final Wire toMaster;
    private final Wire acknowledgements;

    private final List<Actor> actors = new ArrayList<>();
    private final ArrayDeque<Simulation.Event> mailbox = new ArrayDeque<>();
    private final Set<Long> aborted = new HashSet<>();
    private final CommandLog commands = new CommandLog();
    private final ReportOutbox<TaskReport> reports =
            new ReportOutbox<>(new Thread(), this::transmit);
    private boolean running;
    private boolean finished;
    private boolean dead;

    // ---- what the JobManager knows ----

    private boolean knownToRun;
    private boolean knownToBeFinished;

    SimulatedTask(String kind, int index, AttemptId attempt, Execution job) {
        this.attempt = attempt;
        this.name = kind + " " + index;
        this.index = index;
        this.job = job;
        this.master = job.master;
        this.world = master.world;
        this.toTask = world.wire();
        this.toMaster = world.wire();
        this.acknowledgements = world.wire();
        act(() -> !mailbox.isEmpty() && !isBlocked(), () -> mailbox.poll().happen());
    }

    final Actor act(BooleanSupplier possible, Simulation.Event event) {
        Actor actor = new Actor(possible, event);
        actors.add(actor);
        return actor;
    }

    final List<Actor> actors() {
        return actors;
    }

    /** Whether the task thread waits for room in an output. */
    abstract boolean isBlocked();

    /** A command comes, maybe for the second time. */
    final void receive(TaskCommand command) throws Exception {
        if (!commands.isRepetition(command)) {
            onCommand(command);
        }
    }

    abstract void onCommand(TaskCommand command) throws Exception;

    abstract void onCheckpointComplete(long checkpoint);

    final void onCheckpointAborted(long checkpoint) {
        aborted.add(checkpoint);
    }

    /** Whether the task has been told that a checkpoint is aborted. */
    final boolean isAborted(long checkpoint) {
        return aborted.contains(checkpoint);
    }

    // ------------------------------------------------------------------------
    //  Life
    // ------------------------------------------------------------------------

    void start() {
        running = true;
        tell(
                () -> {
                    knownToRun = true;
                    master.onRunning(this);
                });
    }

    final boolean isAlive() {
        return running && !finished && !dead;
    }

    final boolean isFinished() {
        return finished;
    }

    final boolean isDead() {
        return dead;
    }

    final boolean isKnownToRun() {
        return knownToRun && !knownToBeFinished;
    }

    final boolean isKnownToBeFinished() {
        return knownToBeFinished;
    }

    final void finish() {
        finished = true;
        world.trace("%s has finished", name);
        tell(
                () -> {
                    knownToBeFinished = true;
                    master.onFinished(this);
                });
    }

    /** It ends without a word. */
    void kill() {
        dead = true;
        mailbox.clear();
    }

    final void crash() {
        world.trace("%s crashes", name);
        job.onFailure();
        kill();
        tell(
                () -> {
                    knownToRun = false;
                    master.onTaskFailed(this);
                });
    }

    // ------------------------------------------------------------------------
    //  Exchange with the JobManager
    // ------------------------------------------------------------------------

    /** To be called by the JobManager: the task gets a mail, or the sender hears that not. */
    final void mail(
            String what, Simulation.Event mail, Simulation.Event got, Simulation.Event not) {
        toTask.send(
                () -> {
                    boolean alive = isAlive();
                    world.trace("%s is %s: %s", name, alive ? "told" : "not told", what);
                    if (alive) {
                        post(mail);
                    }
                    acknowledgements.send(
                            () -> {
                                if (master.isAlive()) {
                                    (alive ? got : not).happen();
                                }
                            });
                });
    }

    /** The task thread does something as soon as it can. */
    final void post(Simulation.Event mail) {
        if (isAlive()) {
            mailbox.add(mail);
        }
    }

    /** The JobManager hears something, in order. */
    final void tell(Simulation.Event news) {
        toMaster.send(
                () -> {
                    if (master.isAlive()) {
                        news.happen();
                    }
                });
    }

    final void report(TaskReport report) {
        reports.add(report);
    }

    /** A call that may get lost, come late, or not be answered in time. */
    private CompletionStage<?> transmit(long first, List<TaskReport> list) {
        CompletableFuture<Void> answer = new CompletableFuture<>();
        NumberedReports numbered = new NumberedReports(first, list);
        Simulation.Event arrival =
                () -> {
                    if (master.isAlive()) {
                        master.onReports(this, numbered);
                    }
                };
        Simulation.CallFate fate = world.callFate();
        switch (fate) {
            case LOST:
                world.trace("%s of %s gets lost", numbered, name);
                break;
            case LATE:
                world.at(world.now() + LATE_NANOS, arrival);
                break;
            default:
                toMaster.send(arrival);
        }
        toMaster.send(
                () ->
                        toTask.send(
                                () -> {
                                    if (fate == Simulation.CallFate.ANSWERED) {
                                        answer.complete(null);
                                    } else {
                                        answer.completeExceptionally(new RescaleException("late"));
                                    }
                                }));
        return answer;
    }

    /** The mailbox, for what the product does in a task thread. */
    private final class Thread implements TaskThread {
        @Override
        public long nanoTime() {
            return world.now();
        }

        @Override
        public void execute(Mail mail, String description) {
            post(mail::run);
        }

        @Override
        public void executeAfter(long nanos, Mail mail, String description) {
            world.at(world.now() + nanos, () -> post(mail::run));
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
