// SPDX-License-Identifier: Apache-2.0
package io.meces.core.simulation;

import io.meces.core.checkpoint.RunningCheckpoint;
import io.meces.core.exchange.FlowControl;
import io.meces.core.protocol.MigrationOrder;
import io.meces.core.protocol.MigrationSettings;
import io.meces.core.waiting.ReadAheadMemory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;

/**
 * All that a simulated run is given: the job, its records, what happens to it from outside, and the
 * seed of the schedule. Drawn from a seed; parts can be taken away. An immutable value.
 */
final class Scenario {

    /** What an upstream emits. */
    static final class Item {
        /** Kinds of items. */
        enum Kind {
            RECORD,
            BROADCAST,
            WATERMARK
        }

        final Kind kind;
        final int key;
        final long time;

        Item(Kind kind, int key, long time) {
            this.kind = kind;
            this.key = key;
            this.time = time;
        }

        @Override
        public String toString() {
            switch (kind) {
                case RECORD:
                    return "k" + key + "@" + time;
                case BROADCAST:
                    return "all@" + time;
                default:
                    return "w" + time;
            }
        }
    }

    /** What happens to the job. */
    enum Fault {
        RESCALE,
        CRASH_SOURCE,
        CRASH_ELASTIC,
        CRASH_SINK,
        CRASH_JOB_MANAGER,
        ABORT_CHECKPOINT,
        /** The next new subtasks get no slots. */
        NO_SLOTS,
        /** A stop-with-savepoint is asked for, which fails in the end. */
        STOP_JOB,
        /** A rescale is to end early. */
        STOP_RESCALE,
        /** A rescale is to be taken back. */
        ROLL_BACK,
        /** The list state of subtasks that leave cannot be read. */
        LIST_STATE_UNREADABLE,
        /** A savepoint is taken, if no checkpoint is on its way. */
        SAVEPOINT,
        /** Upstreams emit nothing until everything has come to rest. */
        PAUSE
    }

    /** Something that happens from outside, at an event or when there are no more events. */
    static final class Happening {
        final Fault fault;
        final int at;
        final int number;
        final int batch;

        /** Whether a request waits until it can be accepted. */
        final boolean patient;

        Happening(Fault fault, int at, int number, int batch, boolean patient) {
            this.fault = fault;
            this.at = at;
            this.number = number;
            this.batch = batch;
            this.patient = patient;
        }

        @Override
        public String toString() {
            String what =
                    fault == Fault.RESCALE
                            ? "rescale to "
                                    + number
                                    + ", "
                                    + batch
                                    + " key-groups per step"
                                    + (patient ? ", as soon as it is accepted" : "")
                            : fault.toString().startsWith("CRASH_") && number >= 0
                                    ? fault + " " + number
                                    : fault.toString();
            return "at event " + at + ": " + what;
        }
    }

    /** What does not change while it runs. */
    static final class Settings {
        int capacity;
        int keyGroups;
        int subGroups;
        int parallelism;
        int sinks;

        /** The number of upstreams of the first input; the others are those of a second. */
        int firstInput;

        boolean secondIsBroadcast;
        boolean uniform;
        MigrationOrder order;

        /** {@link Long#MAX_VALUE}: steps are as large as requests say. */
        long batchBytes;

        /** How long a step should take; {@link #NO_STEP_TIMEOUT_MS}: that does not matter. */
        long stepDurationMs;

        boolean slowOperators;

        /** Whether some channels of the sinks are read late. */
        boolean slowConsumers;

        /** Whether the chained sink writes outside from time to time only. */
        boolean buffersResults;

        RunningCheckpoint runningCheckpoint = RunningCheckpoint.WAIT;
        int maxBacklog;
        int pushWindow;

        /** What a chunk has at least, in bytes, unless nothing follows. */
        int chunkBytes;

        long lingerMs;

        /** What all subtasks together may have on their way in the background, in bytes. */
        long inFlightBytes;

        /** In a turn while a subtask reads ahead, and in others. */
        int readsAhead;

        int processesAhead;
        int reads;
        int processes;

        /** For how long a mail works, while each look at the clock takes 1 us or so. */
        int mailMicros;

        /** What all subtasks together may have read ahead, and each in any case, in bytes. */
        long readAheadBytes = Long.MAX_VALUE;

        long readAheadLeast;

        /** For how long a turn reads ahead at most when others have had the thread for long. */
        int turnMicros;

        int channelCapacity;

        /** In events; 0: no periodic checkpoints. */
        int checkpointInterval;

        long tickMicros;
        long stepTimeoutMs;
        long slotTimeoutMs;
        int lossPercent;
        int repeatPercent;

        /** Of how many commands the delivery is not confirmed, of half of them as they are lost. */
        int unconfirmedPercent;

        /** How often a rescale is begun. */
        int attempts;

        /** Whether keyed data comes apart from its units, as that of a state on disk. */
        boolean dataIsDeferred;

        /** How long threads take at most that read it and put it in; 0: that is done at once. */
        long dataDelayMs;

        /** Whether the background becomes part of the state in one go, at its end. */
        boolean dataIsIngested;

        /** Whether there is no room for more of it now and then. */
        boolean dataHasPace;

        /** Whether checkpoints are unaligned where they may be. */
        boolean unaligned;

        /** Whether a rescale may have the job restart, if it has checkpoints to restart from. */
        boolean restarts;

        @Override
        public String toString() {
            return "capacity "
                    + capacity
                    + ", key-groups "
                    + keyGroups
                    + " x "
                    + subGroups
                    + ", parallelism "
                    + parallelism
                    + ", sinks "
                    + sinks
                    + ", upstreams of the first input "
                    + firstInput
                    + (secondIsBroadcast ? ", the second is broadcast" : "")
                    + (uniform ? ", uniform" : ", random targets")
                    + (order == MigrationOrder.DEMAND ? "" : ", " + order)
                    + (batchBytes == Long.MAX_VALUE ? "" : ", steps of " + batchBytes + " bytes")
                    + (stepDurationMs == NO_STEP_TIMEOUT_MS
                            ? ""
                            : ", steps of " + stepDurationMs + " ms")
                    + (slowOperators ? ", slow operators" : "")
                    + (slowConsumers ? ", slow consumers" : "")
                    + (buffersResults ? ", a sink that buffers" : "")
                    + (runningCheckpoint == RunningCheckpoint.WAIT
                            ? ""
                            : ", checkpoints: " + runningCheckpoint)
                    + ", backlog "
                    + maxBacklog
                    + ", push window "
                    + pushWindow
                    + (lingerMs == 0 ? "" : ", chunks of " + chunkBytes + " bytes")
                    + (lingerMs == 0 ? "" : " that wait for " + lingerMs + " ms")
                    + (inFlightBytes == Long.MAX_VALUE
                            ? ""
                            : ", " + inFlightBytes + " bytes on the way")
                    + ", turns of "
                    + readsAhead
                    + "/"
                    + processesAhead
                    + " and "
                    + reads
                    + "/"
                    + processes
                    + ", "
                    + mailMicros
                    + " us per mail"
                    + (turnMicros == 0 ? "" : ", up to " + turnMicros + " us per turn")
                    + (readAheadBytes == Long.MAX_VALUE
                            ? ""
                            : ", "
                                    + readAheadBytes
                                    + " bytes read ahead, "
                                    + readAheadLeast
                                    + " by each")
                    + ", channels of "
                    + channelCapacity
                    + ", checkpoint each "
                    + checkpointInterval
                    + " events, about "
                    + tickMicros
                    + " us per event, step within "
                    + stepTimeoutMs
                    + " ms, slots within "
                    + slotTimeoutMs
                    + " ms, "
                    + lossPercent
                    + " % of messages lost, "
                    + repeatPercent
                    + " % repeated, "
                    + unconfirmedPercent
                    + " % of commands not confirmed, "
                    + attempts
                    + " attempt(s)"
                    + (dataIsDeferred ? ", deferred data" : "")
                    + (dataIsDeferred && dataDelayMs > 0 ? " within " + dataDelayMs + " ms" : "")
                    + (dataIsDeferred && dataIsIngested ? ", ingested" : "")
                    + (dataIsDeferred && dataHasPace ? ", at a pace" : "")
                    + (unaligned ? ", unaligned checkpoints" : "")
                    + (restarts ? "" : ", no restart for a rescale");
        }

        /** Of an elastic subtask. */
        MigrationSettings migration(int subtask, ReadAheadMemory.Share memory) {
            long window = pushWindow * BYTES_PER_UNIT;
            return new MigrationSettings(
                    subtask,
                    keyGroups,
                    subGroups,
                    order,
                    new FlowControl(chunkBytes, lingerMs * 1_000_000, window, window / 2),
                    new MigrationSettings.Pace(
                            maxBacklog,
                            mailMicros * 1_000L,
                            turnMicros * 1_000L,
                            new MigrationSettings.Turn(readsAhead, processesAhead),
                            new MigrationSettings.Turn(reads, processes)),
                    memory);
        }

        private Settings copy() {
            Settings s = new Settings();
            s.capacity = capacity;
            s.keyGroups = keyGroups;
            s.subGroups = subGroups;
            s.parallelism = parallelism;
            s.sinks = sinks;
            s.firstInput = firstInput;
            s.secondIsBroadcast = secondIsBroadcast;
            s.uniform = uniform;
            s.order = order;
            s.batchBytes = batchBytes;
            s.stepDurationMs = stepDurationMs;
            s.slowOperators = slowOperators;
            s.slowConsumers = slowConsumers;
            s.buffersResults = buffersResults;
            s.runningCheckpoint = runningCheckpoint;
            s.maxBacklog = maxBacklog;
            s.pushWindow = pushWindow;
            s.chunkBytes = chunkBytes;
            s.lingerMs = lingerMs;
            s.inFlightBytes = inFlightBytes;
            s.readsAhead = readsAhead;
            s.processesAhead = processesAhead;
            s.reads = reads;
            s.processes = processes;
            s.mailMicros = mailMicros;
            s.turnMicros = turnMicros;
            s.readAheadBytes = readAheadBytes;
            s.readAheadLeast = readAheadLeast;
            s.channelCapacity = channelCapacity;
            s.checkpointInterval = checkpointInterval;
            s.tickMicros = tickMicros;
            s.stepTimeoutMs = stepTimeoutMs;
            s.slotTimeoutMs = slotTimeoutMs;
            s.lossPercent = lossPercent;
            s.repeatPercent = repeatPercent;
            s.unconfirmedPercent = unconfirmedPercent;
            s.attempts = attempts;
            s.dataIsDeferred = dataIsDeferred;
            s.dataDelayMs = dataDelayMs;
            s.dataIsIngested = dataIsIngested;
            s.dataHasPace = dataHasPace;
            s.unaligned = unaligned;
            s.restarts = restarts;
            return s;
        }
    }

    /** About. */
    private static final long BYTES_PER_UNIT = 50;

    /** No step takes that long unless it is stuck. */
    static final long NO_STEP_TIMEOUT_MS = 3_600_000;

    private final long scheduleSeed;
    private final Settings settings;
    private final List<List<Item>> inputs;
    private final List<Boolean> ends;
    private final List<Happening> happenings;

    private Scenario(
            long scheduleSeed,
            Settings settings,
            List<List<Item>> inputs,
            List<Boolean> ends,
            List<Happening> happenings) {
        this.scheduleSeed = scheduleSeed;
        this.settings = settings;
        this.inputs = inputs;
        this.ends = ends;
        this.happenings = new ArrayList<>(happenings);
        this.happenings.sort(Comparator.comparingInt(h -> h.at));
    }

    // ------------------------------------------------------------------------
    //  Drawing
    // ------------------------------------------------------------------------

    static Scenario of(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        Settings s = new Settings();
        int upstreams = 1 + random.nextInt(4);
        s.capacity = 2 + random.nextInt(4);
        s.keyGroups = 4 + random.nextInt(9);
        s.subGroups = 1 + random.nextInt(3);
        s.parallelism = 1 + random.nextInt(Math.min(s.capacity, s.keyGroups));
        s.sinks = 1 + random.nextInt(2);
        s.firstInput = upstreams;
        if (upstreams > 1 && random.nextBoolean()) {
            s.firstInput = 1 + random.nextInt(upstreams - 1);
            s.secondIsBroadcast = random.nextInt(3) > 0;
        }
        s.uniform = random.nextBoolean();
        s.slowOperators = random.nextInt(4) == 0;
        int checkpoints = random.nextInt(4);
        s.runningCheckpoint =
                checkpoints == 0
                        ? RunningCheckpoint.ABORT
                        : checkpoints == 1 ? RunningCheckpoint.WAIT : RunningCheckpoint.AUTO;
        s.maxBacklog = random.nextInt(3) == 0 ? 1 + random.nextInt(10) : 1_000;
        s.pushWindow = 1 + random.nextInt(6);
        s.channelCapacity = random.nextBoolean() ? 2 + random.nextInt(8) : 1_000;
        s.checkpointInterval = random.nextInt(5) == 0 ? 0 : 60 + random.nextInt(400);
        s.tickMicros = pick(random, 20, 20, 200, 2_000);
        s.stepTimeoutMs = random.nextInt(8) == 0 ? 1 + random.nextInt(300) : NO_STEP_TIMEOUT_MS;
        s.slotTimeoutMs = 20 + random.nextInt(300);
        s.lossPercent = (int) pick(random, 0, 0, 5, 30);
        s.repeatPercent = (int) pick(random, 0, 0, 5, 30);
        s.attempts = (int) pick(random, 1, 2, 10, 10);

        boolean allEnd = random.nextInt(3) == 0;
        int[] keys = new int[1 + random.nextInt(s.keyGroups * s.subGroups * 2)];
        for (int i = 0; i < keys.length; i++) {
            keys[i] = random.nextInt(s.keyGroups * s.subGroups * 2);
        }
        // from a seed of its own, so that all else is what it was for this seed
        SplittableRandom more = new SplittableRandom(~seed);
        s.order = more.nextInt(5) == 0 ? MigrationOrder.SEQUENTIAL : MigrationOrder.DEMAND;
        s.batchBytes = more.nextInt(3) == 0 ? 1 + more.nextInt(200) : Long.MAX_VALUE;
        s.stepDurationMs = pick(more, 5, 50, NO_STEP_TIMEOUT_MS, NO_STEP_TIMEOUT_MS);
        s.slowConsumers = more.nextInt(3) == 0;
        s.buffersResults = more.nextInt(3) > 0;
        s.unconfirmedPercent = (int) pick(more, 0, 0, 0, 20);
        s.chunkBytes = (int) pick(more, 0, 100, 1_000);
        s.lingerMs = pick(more, 0, 1, 50);
        s.inFlightBytes = pick(more, 1, 300, Long.MAX_VALUE, Long.MAX_VALUE);
        s.readsAhead = (int) pick(more, 1, 4, 16, 64);
        s.processesAhead = (int) pick(more, 0, 0, 1);
        s.reads = (int) pick(more, 1, 1, 1, 8);
        s.processes = (int) pick(more, 0, 1, 4);
        s.mailMicros = (int) pick(more, 1, 4, 20);
        SplittableRandom ofTurns = new SplittableRandom(seed ^ 0x7042);
        s.turnMicros = (int) pick(ofTurns, 0, 0, 20, 1_000);
        s.readAheadBytes = pick(ofTurns, Long.MAX_VALUE, Long.MAX_VALUE, 1_000, 5_000);
        s.readAheadLeast = pick(ofTurns, 0, 300);
        SplittableRandom ofData = new SplittableRandom(seed ^ 0xDA7A);
        s.dataIsDeferred = ofData.nextInt(3) == 0;
        s.dataDelayMs = pick(ofData, 0, 4, 4, 40);
        s.dataIsIngested = ofData.nextBoolean();
        s.dataHasPace = ofData.nextInt(3) == 0;
        s.restarts = more.nextInt(6) > 0;
        s.unaligned = new SplittableRandom(seed ^ 0xA116).nextInt(3) == 0;
        SplittableRandom ofLate = new SplittableRandom(seed ^ 0x1A7E);
        int latePercent = (int) pick(ofLate, 0, 0, 10, 40);
        List<List<Item>> inputs = new ArrayList<>();
        List<Boolean> ends = new ArrayList<>();
        for (int u = 0; u < upstreams; u++) {
            boolean broadcasts = u >= s.firstInput && s.secondIsBroadcast;
            inputs.add(delayed(ofLate, latePercent, items(random, keys, broadcasts)));
            ends.add(allEnd || random.nextInt(8) == 0);
        }
        List<Happening> happenings = happenings(random, s);
        addSavepoints(new SplittableRandom(seed ^ 0x5A7E), happenings);
        return new Scenario(seed, s, inputs, ends, happenings);
    }

    /** While rescales run, as {@link #happenings} has these first. */
    private static void addSavepoints(SplittableRandom random, List<Happening> happenings) {
        int savepoints = random.nextInt(4) == 0 ? 1 + random.nextInt(3) : 0;
        for (int i = 0; i < savepoints; i++) {
            int at = happenings.get(0).at + random.nextInt(300);
            happenings.add(new Happening(Fault.SAVEPOINT, at, -1, 0, false));
        }
    }

    private static long pick(SplittableRandom random, long... choices) {
        return choices[random.nextInt(choices.length)];
    }

    private static List<Item> items(SplittableRandom random, int[] keys, boolean broadcasts) {
        List<Item> items = new ArrayList<>();
        int records = random.nextInt(150);
        int interval = 2 + random.nextInt(10);
        long watermark = 0;
        while (records > 0) {
            if (random.nextInt(interval) == 0) {
                watermark += random.nextInt(12);
                items.add(new Item(Item.Kind.WATERMARK, -1, watermark));
            } else {
                records--;
                long time = watermark + 1 + random.nextInt(25);
                items.add(
                        broadcasts
                                ? new Item(Item.Kind.BROADCAST, -1, time)
                                : new Item(
                                        Item.Kind.RECORD, keys[random.nextInt(keys.length)], time));
            }
        }
        return items;
    }

    /** Some of the records come late, or nearly. */
    private static List<Item> delayed(SplittableRandom random, int percent, List<Item> items) {
        List<Item> delayed = new ArrayList<>();
        for (Item item : items) {
            delayed.add(
                    item.kind == Item.Kind.RECORD && random.nextInt(100) < percent
                            ? new Item(item.kind, item.key, item.time - random.nextInt(100))
                            : item);
        }
        return delayed;
    }

    private static List<Happening> happenings(SplittableRandom random, Settings s) {
        List<Happening> list = new ArrayList<>();
        int span = 200 + random.nextInt(1_000);
        int rescales = 1 + random.nextInt(random.nextInt(4) == 0 ? 12 : 4);
        for (int i = 0; i < rescales; i++) {
            list.add(
                    new Happening(
                            Fault.RESCALE,
                            random.nextInt(span),
                            1 + random.nextInt(Math.min(s.capacity, s.keyGroups)),
                            1 + random.nextInt(4),
                            random.nextInt(4) > 0));
        }
        for (Fault fault : Fault.values()) {
            int times = 0;
            switch (fault) {
                case CRASH_SOURCE:
                case CRASH_ELASTIC:
                case CRASH_SINK:
                    times = random.nextInt(12) == 0 ? 1 + random.nextInt(2) : 0;
                    break;
                case CRASH_JOB_MANAGER:
                case STOP_JOB:
                case NO_SLOTS:
                case PAUSE:
                    times = random.nextInt(10) == 0 ? 1 : 0;
                    break;
                case STOP_RESCALE:
                case ROLL_BACK:
                case ABORT_CHECKPOINT:
                    times = random.nextInt(5) == 0 ? 1 + random.nextInt(3) : 0;
                    break;
                case LIST_STATE_UNREADABLE:
                    times = random.nextInt(20) == 0 ? 1 : 0;
                    break;
                default:
            }
            for (int i = 0; i < times; i++) {
                int number = fault.toString().startsWith("CRASH_") ? random.nextInt(4) : -1;
                // many while a rescale runs
                int at =
                        random.nextInt(3) == 0
                                ? random.nextInt(span)
                                : list.get(random.nextInt(rescales)).at + random.nextInt(200);
                list.add(new Happening(fault, at, number, 0, false));
            }
        }
        return list;
    }

    // ------------------------------------------------------------------------
    //  Less of it
    // ------------------------------------------------------------------------

    Scenario withScheduleSeed(long seed) {
        return new Scenario(seed, settings, inputs, ends, happenings);
    }

    Scenario withHappenings(List<Happening> fewer) {
        return new Scenario(scheduleSeed, settings, inputs, ends, fewer);
    }

    Scenario withInput(int upstream, List<Item> items) {
        List<List<Item>> changed = new ArrayList<>(inputs);
        changed.set(upstream, items);
        return new Scenario(scheduleSeed, settings, changed, ends, happenings);
    }

    /** All records of a key become records of another. */
    Scenario withKey(int key, int other) {
        List<List<Item>> changed = new ArrayList<>();
        for (List<Item> items : inputs) {
            List<Item> renamed = new ArrayList<>();
            for (Item item : items) {
                renamed.add(item.key == key ? new Item(item.kind, other, item.time) : item);
            }
            changed.add(renamed);
        }
        return new Scenario(scheduleSeed, settings, changed, ends, happenings);
    }

    Scenario withoutEnds() {
        List<Boolean> none = new ArrayList<>(Collections.nCopies(ends.size(), false));
        return new Scenario(scheduleSeed, settings, inputs, none, happenings);
    }

    /** Changes that make a run simpler, one each. */
    List<Scenario> simpler() {
        List<Scenario> all = new ArrayList<>();
        List<java.util.function.Consumer<Settings>> changes =
                Arrays.asList(
                        s -> s.lossPercent = 0,
                        s -> s.repeatPercent = 0,
                        s -> s.unconfirmedPercent = 0,
                        s -> s.checkpointInterval = 0,
                        s -> s.slowOperators = false,
                        s -> s.slowConsumers = false,
                        s -> s.buffersResults = false,
                        s -> s.runningCheckpoint = RunningCheckpoint.WAIT,
                        s -> s.stepTimeoutMs = NO_STEP_TIMEOUT_MS,
                        s -> s.channelCapacity = 1_000,
                        s -> s.maxBacklog = 1_000,
                        s -> s.chunkBytes = 0,
                        s -> s.lingerMs = 0,
                        s -> s.inFlightBytes = Long.MAX_VALUE,
                        s -> s.readsAhead = 1,
                        s -> s.processesAhead = 1,
                        s -> s.reads = 1,
                        s -> s.processes = 1,
                        s -> s.mailMicros = 4,
                        s -> s.turnMicros = 0,
                        s -> s.readAheadBytes = Long.MAX_VALUE,
                        s -> s.restarts = true,
                        s -> s.unaligned = false,
                        s -> s.sinks = 1,
                        s -> s.uniform = true,
                        s -> s.batchBytes = Long.MAX_VALUE,
                        s -> s.stepDurationMs = NO_STEP_TIMEOUT_MS);
        for (java.util.function.Consumer<Settings> change : changes) {
            Settings changed = settings.copy();
            change.accept(changed);
            if (!changed.toString().equals(settings.toString())) {
                all.add(new Scenario(scheduleSeed, changed, inputs, ends, happenings));
            }
        }
        if (ends.contains(true)) {
            all.add(withoutEnds());
        }
        if (happenings.stream().anyMatch(h -> h.at > 0)) {
            List<Happening> earlier = new ArrayList<>();
            for (Happening h : happenings) {
                earlier.add(new Happening(h.fault, h.at / 2, h.number, h.batch, h.patient));
            }
            all.add(withHappenings(earlier));
        }
        return all;
    }

    // ------------------------------------------------------------------------
    //  Reading
    // ------------------------------------------------------------------------

    long scheduleSeed() {
        return scheduleSeed;
    }

    /** Not to be changed. */
    Settings settings() {
        return settings;
    }

    List<List<Item>> inputs() {
        return inputs;
    }

    boolean ends(int upstream) {
        return ends.get(upstream);
    }

    List<Happening> happenings() {
        return happenings;
    }

    boolean has(Fault... faults) {
        return happenings.stream().anyMatch(h -> Arrays.asList(faults).contains(h.fault));
    }

    int items() {
        return inputs.stream().mapToInt(List::size).sum();
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        text.append("schedule seed ").append(scheduleSeed).append("; ").append(settings);
        for (int u = 0; u < inputs.size(); u++) {
            text.append("\n  upstream ").append(u).append(": ").append(inputs.get(u));
            text.append(ends.get(u) ? " end" : "");
        }
        happenings.forEach(h -> text.append("\n  ").append(h));
        return text.toString();
    }
}
