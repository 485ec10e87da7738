// SPDX-License-Identifier: Apache-2.0
package io.meces.core.simulation;

import io.meces.api.AbortMode;
import io.meces.api.RescaleStatus;
import io.meces.core.command.DataStatistics;
import io.meces.core.command.StepStatistics;
import io.meces.core.exchange.InFlightBytes;
import io.meces.core.job.JobState;
import io.meces.core.waiting.ReadAheadMemory;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Consumer;
import javax.annotation.Nullable;

/**
 * A job with an elastic vertex that is rescaled, checkpointed and broken while records flow: on one
 * thread and with a clock of its own, so that all that happens follows from a {@link Scenario}.
 * After each event the {@link Ledger} has been asked whether it may happen.
 *
 * <p>What tasks can do is done in random order. What travels arrives when its time has come; when
 * the tasks have nothing to do, the clock jumps to that.
 */
final class Simulation {

    private static final int MAX_EVENTS = 1_000_000;

    /** How long a look at the clock takes at most, and what is done until the next. */
    private static final int LOOK_NANOS = 2_000;

    /** How eager an actor is; drawn anew from time to time, so any of them may crawl for long. */
    private static final int[] EAGERNESS = {0, 0, 1, 2, 4, 16};

    private final Scenario scenario;
    @Nullable private final Consumer<String> trace;
    private final SplittableRandom random;
    private final Oracle oracle;
    private final Results chained;
    private final Results consumed;
    private final Transport transport;
    private final InFlightBytes inFlight;
    private final ReadAheadMemory readAhead;
    private final List<SimulatedTask> tasks = new ArrayList<>();
    private final PriorityQueue<Due> due = new PriorityQueue<>();
    private final TreeMap<Long, Snapshot> checkpoints = new TreeMap<>();
    private JobMaster master;
    private long now;
    private long order;
    private int events;
    private final ArrayDeque<Scenario.Happening> waiting = new ArrayDeque<>();
    private int untilDrawn;
    private int happened;
    private int nextTrigger;
    private long lastCheckpoint;
    private boolean paused;

    /** In the end, all tasks. */
    private boolean toldOfCheckpoints;

    private boolean wordWasLost;

    private final Statistics statistics = new Statistics();

    /** Not of the schedule's random numbers. */
    private final SplittableRandom calls;

    private final SplittableRandom notifications;

    private final SplittableRandom dataRandom;

    /** What has happened in a run, to tell whether runs are worth something. */
    static final class Statistics {
        long events;
        long rescales;
        long finished;
        long givenUp;
        long aborted;
        long resumed;
        long steps;
        long chains;
        long handovers;

        /** How often a receiver's watermark rose between two steps. */
        long watermarksAligned;

        long pushed;
        long onDemand;
        long forwarded;
        long parked;
        long timers;
        long keysFetched;
        long keysSkipped;
        long dataParked;

        /** How often a watermark rose at a subtask that had not all data. */
        long risesAmidData;

        long checkpoints;
        long restarts;
        long jobManagers;
        long lost;
        long late;

        void add(Statistics other) {
            events += other.events;
            rescales += other.rescales;
            finished += other.finished;
            givenUp += other.givenUp;
            aborted += other.aborted;
            resumed += other.resumed;
            steps += other.steps;
            chains += other.chains;
            handovers += other.handovers;
            watermarksAligned += other.watermarksAligned;
            pushed += other.pushed;
            onDemand += other.onDemand;
            forwarded += other.forwarded;
            parked += other.parked;
            timers += other.timers;
            keysFetched += other.keysFetched;
            keysSkipped += other.keysSkipped;
            dataParked += other.dataParked;
            risesAmidData += other.risesAmidData;
            checkpoints += other.checkpoints;
            restarts += other.restarts;
            jobManagers += other.jobManagers;
            lost += other.lost;
            late += other.late;
        }

        @Override
        public String toString() {
            return events
                    + " events: "
                    + rescales
                    + " rescales, "
                    + finished
                    + " finished, "
                    + givenUp
                    + " given up, "
                    + aborted
                    + " aborted, "
                    + resumed
                    + " resumed after a failure; "
                    + steps
                    + " steps ("
                    + chains
                    + " with a subtask that gave and took), "
                    + pushed
                    + " units pushed, "
                    + onDemand
                    + " on demand, "
                    + forwarded
                    + " records forwarded, "
                    + parked
                    + " parked, "
                    + timers
                    + " timers, "
                    + keysFetched
                    + " keys fetched, "
                    + keysSkipped
                    + " of them skipped in chunks, "
                    + dataParked
                    + " records parked for them, "
                    + risesAmidData
                    + " times a watermark has risen meanwhile, "
                    + handovers
                    + " handovers of broadcast state, "
                    + watermarksAligned
                    + " times receivers have risen between steps, "
                    + checkpoints
                    + " checkpoints, "
                    + restarts
                    + " restarts, "
                    + jobManagers
                    + " JobManagers lost, "
                    + lost
                    + " messages lost, "
                    + late
                    + " too late";
        }
    }

    Simulation(Scenario scenario, @Nullable Consumer<String> trace) {
        this.scenario = scenario;
        this.trace = trace;
        this.random = new SplittableRandom(scenario.scheduleSeed() ^ 0x5DEECE66DL);
        this.calls = new SplittableRandom(scenario.scheduleSeed() ^ 0xCA11L);
        this.notifications = new SplittableRandom(scenario.scheduleSeed() ^ 0xAB027L);
        this.dataRandom = new SplittableRandom(scenario.scheduleSeed() ^ 0xD15CL);
        this.oracle = new Oracle(scenario);
        this.chained = new Results("the chained sink", oracle);
        this.consumed = new Results("the sinks", oracle);
        this.transport = new Transport(this, scenario.settings().capacity);
        this.inFlight = new InFlightBytes(scenario.settings().inFlightBytes, change -> {});
        this.readAhead =
                new ReadAheadMemory(
                        scenario.settings().readAheadBytes, scenario.settings().readAheadLeast);
    }

    /** For what data that comes apart from its units does. */
    SplittableRandom dataRandom() {
        return dataRandom;
    }

    /** What becomes of a call to the JobManager; what is not answered may have come. */
    enum CallFate {
        ANSWERED,
        UNANSWERED,
        LATE,
        LOST
    }

    CallFate callFate() {
        return fate(calls);
    }

    /** That of Flink's word to a task that a checkpoint is complete, or aborted. */
    CallFate notificationFate() {
        CallFate fate = toldOfCheckpoints ? CallFate.ANSWERED : fate(notifications);
        wordWasLost |= fate == CallFate.LOST;
        return fate;
    }

    /** Whether a task has not heard of the end of a checkpoint. */
    boolean wordWasLost() {
        return wordWasLost;
    }

    private CallFate fate(SplittableRandom drawn) {
        boolean answered = drawn.nextInt(100) >= scenario.settings().unconfirmedPercent;
        return answered ? CallFate.ANSWERED : CallFate.values()[1 + drawn.nextInt(3)];
    }

    /** Something that happens. */
    @FunctionalInterface
    interface Event {
        void happen() throws Exception;
    }

    /** Something that happens at a time, in the order in which that was decided. */
    private static final class Due implements Comparable<Due> {
        private final long time;
        private final long order;
        private final Event event;

        private Due(long time, long order, Event event) {
            this.time = time;
            this.order = order;
            this.event = event;
        }

        @Override
        public int compareTo(Due other) {
            return time == other.time
                    ? Long.compare(order, other.order)
                    : Long.compare(time, other.time);
        }
    }

    // ------------------------------------------------------------------------
    //  Running
    // ------------------------------------------------------------------------

    /** Runs to the end, when everything has come to rest and its results are complete. */
    Statistics run() throws Exception {
        Violation.forgetLast();
        master = new JobMaster(this);
        master.startFirst();
        List<Scenario.Happening> happenings = scenario.happenings();
        int interval = scenario.settings().checkpointInterval;
        nextTrigger = interval;
        while (true) {
            if (!waiting.isEmpty() && (events & 15) == 0 && master.client().isIdle()) {
                happen(waiting.poll());
            } else if (happened < happenings.size() && events >= happenings.get(happened).at) {
                happenOrWait(happenings.get(happened++));
            } else if (interval > 0 && events >= nextTrigger && !isDone()) {
                nextTrigger = events + interval;
                master.coordinator().triggerIfIdle();
            } else if (!advance()) {
                if (!waiting.isEmpty() && master.client().isIdle()) {
                    happen(waiting.poll());
                    continue;
                }
                if (happened == happenings.size()) {
                    break;
                }
                happenOrWait(happenings.get(happened++));
            }
        }
        checkQuiet();
        checkResults();
        statistics.events = events;
        statistics.lost = transport.lost();
        statistics.late = transport.late();
        return statistics;
    }

    /** Whether nothing more comes from outside. */
    private boolean isDone() {
        for (SimulatedSource source : master.job().sources) {
            if (!source.isAtEnd()) {
                return false;
            }
        }
        return happened == scenario.happenings().size();
    }

    private void happenOrWait(Scenario.Happening happening) throws Exception {
        if (happening.patient) {
            waiting.add(happening);
        } else {
            happen(happening);
        }
    }

    private void happen(Scenario.Happening happening) throws Exception {
        trace("outside: %s", happening);
        int number = happening.number;
        Execution job = master.job();
        switch (happening.fault) {
            case RESCALE:
                master.client().request(number, happening.batch);
                break;
            case CRASH_SOURCE:
                crash(job.sources[number % job.sources.length]);
                break;
            case CRASH_ELASTIC:
                crash(job.elastic[number % job.elastic.length]);
                break;
            case CRASH_SINK:
                crash(job.sinks[number % job.sinks.length]);
                break;
            case CRASH_JOB_MANAGER:
                if (master.jobState() != JobState.FINISHED) {
                    statistics.jobManagers++;
                    master.crash();
                    master = new JobMaster(this);
                    master.startFirst();
                }
                break;
            case ABORT_CHECKPOINT:
                master.coordinator().abort("for no reason");
                break;
            case NO_SLOTS:
                master.withholdSlots();
                break;
            case SAVEPOINT:
                master.coordinator().saveIfIdle();
                break;
            case STOP_JOB:
                master.client().stopJob();
                break;
            case STOP_RESCALE:
                master.client().abort(AbortMode.STOP);
                break;
            case ROLL_BACK:
                master.client().abort(AbortMode.ROLLBACK);
                break;
            case LIST_STATE_UNREADABLE:
                master.loseListState();
                break;
            default:
                paused = true;
                while (advance()) {
                    // until nothing is left to happen
                }
                checkQuiet();
                paused = false;
        }
    }

    private static void crash(@Nullable SimulatedTask task) {
        if (task != null && task.isAlive()) {
            task.crash();
        }
    }

    /** Lets one thing happen; returns whether there was any. */
    private boolean advance() throws Exception {
        if (untilDrawn-- == 0) {
            drawEagerness();
        }
        Due head = due.peek();
        if (head == null || head.time > now) {
            Actor actor = choose();
            if (actor != null) {
                now += random.nextInt(1 + 2 * (int) scenario.settings().tickMicros) * 1_000L;
                count();
                happen(actor.event);
                return true;
            }
            if (head == null) {
                return false;
            }
            now = head.time;
        }
        count();
        happen(due.poll().event);
        return true;
    }

    private static void happen(Event event) throws Exception {
        event.happen();
        Violation.throwLast();
    }

    private void count() {
        events++;
        Ledger.check(events < MAX_EVENTS, "no end after %d events", events);
    }

    private final List<Actor> possible = new ArrayList<>();

    @Nullable
    private Actor choose() {
        possible.clear();
        int total = 0;
        for (int i = 0; i < tasks.size(); i++) {
            SimulatedTask task = tasks.get(i);
            if (!task.isAlive()) {
                if (task.isDead() || task.isFinished()) {
                    tasks.remove(i--);
                }
                continue;
            }
            List<Actor> actors = task.actors();
            for (int a = 0; a < actors.size(); a++) {
                Actor actor = actors.get(a);
                if (actor.possible.getAsBoolean()) {
                    possible.add(actor);
                    total += actor.eagerness;
                }
            }
        }
        if (possible.isEmpty()) {
            return null;
        }
        if (total == 0) {
            drawEagerness();
            return possible.get(random.nextInt(possible.size()));
        }
        int drawn = random.nextInt(total);
        for (Actor actor : possible) {
            drawn -= actor.eagerness;
            if (drawn < 0) {
                return actor;
            }
        }
        throw new IllegalStateException();
    }

    private void drawEagerness() {
        untilDrawn = 64;
        for (SimulatedTask task : tasks) {
            for (Actor actor : task.actors()) {
                draw(actor);
            }
        }
    }

    private void draw(Actor actor) {
        actor.eagerness =
                actor.crawls && random.nextInt(24) != 0
                        ? 0
                        : EAGERNESS[random.nextInt(EAGERNESS.length)];
    }

    /** Nothing comes from outside: what has begun must have ended by itself. */
    private void checkQuiet() {
        JobState status = master.jobState();
        Ledger.check(!master.client().isBusy(), "a rescale is stuck");
        Ledger.check(
                readAhead.used() == 0,
                "%s bytes of memory are kept for what has been read ahead",
                readAhead.used());
        Ledger.check(
                status == JobState.RUNNING || status == JobState.FINISHED,
                "the job is stuck: %s",
                status);
        Execution job = master.job();
        long watermark = Long.MAX_VALUE;
        boolean ends = true;
        for (SimulatedSource source : job.sources) {
            watermark = Math.min(watermark, source.watermark());
            ends &= source.isFinished();
        }
        Ledger.check(
                ends == (status == JobState.FINISHED),
                "all sources have %s, and the job is %s",
                ends ? "finished" : "not finished",
                status);
        Map<Integer, SimulatedUnit> units = new TreeMap<>();
        for (SimulatedElastic subtask : job.elastic) {
            if (subtask == null || subtask.isDead()) {
                // new, and not needed by a job that has finished
                continue;
            }
            Ledger.check(!subtask.isStepRunning(), "%s is stuck in a step", subtask);
            units.putAll(subtask.units());
            if (!subtask.hasLeft()) {
                Ledger.check(
                        subtask.isFinished() || subtask.watermark() == watermark,
                        "%s is at watermark %d instead of %d",
                        subtask,
                        subtask.watermark(),
                        watermark);
                job.ledger.onQuiet(subtask.index, subtask.units(), subtask.broadcastState());
            }
        }
        job.ledger.onQuiet(watermark, units);
        for (SimulatedSink sink : job.sinks) {
            Ledger.check(
                    sink.isFinished() || sink.watermark() == watermark,
                    "%s is at watermark %d instead of %d",
                    sink,
                    sink.watermark(),
                    watermark);
        }
    }

    /** The results must be those of the sequential model. */
    private void checkResults() throws Exception {
        Execution job = master.job();
        for (SimulatedSource source : job.sources) {
            Ledger.check(source.isFinished() || source.isAtEnd(), "%s has not read all", source);
        }
        boolean complete = master.jobState() == JobState.FINISHED;
        toldOfCheckpoints = true;
        if (!complete && !job.hasFinishedSource()) {
            master.coordinator().triggerIfIdle();
            while (advance()) {
                // until it is complete
            }
            complete = true;
        }
        List<Transaction> uncommitted = new ArrayList<>();
        if (!complete) {
            // Flink takes no checkpoint any more when a source has finished
            for (SimulatedElastic subtask : job.elastic) {
                if (subtask != null) {
                    uncommitted.addAll(subtask.uncommitted());
                }
            }
            for (SimulatedSink sink : job.sinks) {
                uncommitted.addAll(sink.uncommitted());
            }
        }
        byte[] expected = new byte[oracle.outputs()];
        long watermark = Long.MAX_VALUE;
        for (SimulatedSource source : job.sources) {
            watermark = Math.min(watermark, source.watermark());
        }
        for (int i = 0; i < expected.length; i += 2) {
            expected[i] = 1;
            if (oracle.hasTimer(i + 1)) {
                // after a restart watermarks begin anew, and timers have fired by then; one of a
                // late record may wait for a watermark that does not come
                boolean mustFire = oracle.valueOf(i + 1) <= watermark && !oracle.isLate(i / 2);
                expected[i + 1] = mustFire ? 1 : (byte) -1;
            }
        }
        chained.check(expected, uncommitted, "in the end");
        consumed.check(expected, uncommitted, "in the end");
    }

    // ------------------------------------------------------------------------
    //  What the parts need of each other
    // ------------------------------------------------------------------------

    long now() {
        return now;
    }

    /** Lets something happen at a time. */
    void at(long time, Event event) {
        due.add(new Due(time, order++, event));
    }

    Wire wire() {
        return new Wire(this);
    }

    SplittableRandom random() {
        return random;
    }

    void add(SimulatedTask task) {
        task.actors().forEach(this::draw);
        tasks.add(task);
    }

    boolean isPaused() {
        return paused;
    }

    void trace(String format, Object... arguments) {
        if (trace != null) {
            trace.accept(
                    String.format("%6d %9.3f ms  ", events, now / 1e6)
                            + String.format(format, arguments));
        }
    }

    Scenario scenario() {
        return scenario;
    }

    Oracle oracle() {
        return oracle;
    }

    Results chained() {
        return chained;
    }

    Results consumed() {
        return consumed;
    }

    /** Some time passes while a task is at work; the time after that. */
    long pass() {
        now += random.nextInt(LOOK_NANOS);
        return now;
    }

    /** As if all subtasks were in one TaskManager. */
    ReadAheadMemory readAhead() {
        return readAhead;
    }

    InFlightBytes inFlight() {
        return inFlight;
    }

    Transport transport() {
        return transport;
    }

    JobMaster master() {
        return master;
    }

    long nextCheckpoint() {
        return ++lastCheckpoint;
    }

    void onCheckpointComplete(Checkpoint checkpoint) {
        Snapshot snapshot = checkpoint.snapshot;
        Ledger.onCheckpoint(
                oracle,
                scenario.settings().keyGroups * scenario.settings().subGroups,
                snapshot,
                chained,
                consumed);
        statistics.checkpoints++;
        if (!checkpoint.savepoint) {
            checkpoints.put(snapshot.id, snapshot);
        }
    }

    @Nullable
    Snapshot lastCheckpoint() {
        return checkpoints.isEmpty() ? null : checkpoints.lastEntry().getValue();
    }

    @Nullable
    Snapshot checkpoint(long id) {
        return checkpoints.get(id);
    }

    // ------------------------------------------------------------------------
    //  Statistics
    // ------------------------------------------------------------------------

    void onKeyFetched() {
        statistics.keysFetched++;
    }

    void onKeySkipped() {
        statistics.keysSkipped++;
    }

    void onRiseAmidData() {
        statistics.risesAmidData++;
    }

    void onDataCompleted(DataStatistics ofStep) {
        statistics.dataParked += ofStep.waits.records;
    }

    void onStepCompleted(StepStatistics ofStep) {
        statistics.pushed += ofStep.unitsSent - ofStep.unitsOnDemand;
        statistics.onDemand += ofStep.unitsOnDemand;
        statistics.forwarded += ofStep.recordsForwarded;
        statistics.parked += ofStep.waits.records;
    }

    void onWatermarksAligned() {
        statistics.watermarksAligned++;
    }

    void onStep(boolean handover, boolean chain) {
        statistics.steps++;
        statistics.handovers += handover ? 1 : 0;
        statistics.chains += chain ? 1 : 0;
    }

    void onTimer() {
        statistics.timers++;
    }

    void onRestart() {
        statistics.restarts++;
    }

    void onRescaleResumed() {
        statistics.resumed++;
    }

    void onRescaleAccepted() {
        statistics.rescales++;
    }

    void onRescaleEnded(RescaleStatus state) {
        if (state == RescaleStatus.FINISHED) {
            statistics.finished++;
        } else if (state == RescaleStatus.ABORTED) {
            statistics.aborted++;
        } else {
            statistics.givenUp++;
        }
    }
}
