// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.experiments.cluster.FlinkLine;
import io.meces.experiments.cluster.Installation;
import io.meces.experiments.measure.Verdict;
import io.meces.servers.ServerProcess;
import java.nio.file.Paths;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Faults of real processes in chosen phases of a rescale: the job counts every record exactly once,
 * the rescale reaches its target, and nothing of its interrupted attempt is left. The property
 * {@code faults.cells} is a regular expression of the cells to run, such as {@code
 * KILL_TASK_MANAGER.*}; the build's own are a few, and one in a quick build. {@code faults.flink}
 * are the lines of Flink, and {@code faults.drawn} how many cells of those after the first are
 * drawn instead, some of them under back pressure with unaligned checkpoints; the seed is logged,
 * and can be given by {@code faults.seed}. Those that are named have that with {@code
 * faults.back-pressure=true}, on Flink 1.20 and later. {@code faults.transition-service} may be
 * {@code kafka-redis}, {@code faults.state-backend} may be {@code rocksdb}; in the phase {@link
 * FaultPhase#TRANSFERRING} state is always there.
 */
class ProcessFaultIT {
    private static final Logger LOG = LoggerFactory.getLogger(ProcessFaultIT.class);
    private static final int SINKS = 1;
    private static final boolean ROCKSDB =
            System.getProperty("faults.state-backend", "heap").equals("rocksdb");

    private static final int DRAWN = Integer.getInteger("faults.drawn", 0);
    private static final long SEED = Long.getLong("faults.seed", System.nanoTime());

    /** Within which a rescale under back pressure is hit. */
    private static final int MOMENT_MILLIS = 5_000;

    private static FaultLab lab;
    private static FlinkLine labLine;

    /** What happens. */
    enum Fault {
        KILL_TASK_MANAGER,
        /** It hangs until the job runs without it, and then goes on. */
        PAUSE_TASK_MANAGER,
        TASK_THROWS,
        KILL_JOB_MANAGER,
        /** It hangs until another one leads, and then goes on. */
        PAUSE_JOB_MANAGER,
        /** It crashes and comes back: connections break, sessions do not. */
        RESTART_ZOOKEEPER,
        /** It is away for longer than sessions last. */
        STOP_ZOOKEEPER;

        private boolean isOfJobManager() {
            return this == KILL_JOB_MANAGER || this == PAUSE_JOB_MANAGER;
        }

        private boolean isOfZooKeeper() {
            return this == RESTART_ZOOKEEPER || this == STOP_ZOOKEEPER;
        }

        private boolean canHit(Victim victim) {
            return (victim == Victim.LEADER) == isOfJobManager()
                    && (victim == Victim.ZOOKEEPER) == isOfZooKeeper();
        }
    }

    /** Whom it happens to. */
    enum Victim {
        /** Gives key-groups away; at a scale-in it leaves. */
        DONOR,
        RECEIVER,
        UPSTREAM,
        DOWNSTREAM,
        /** The JobManager that leads. */
        LEADER,
        ZOOKEEPER
    }

    /** One case of the matrix. */
    private static final class Cell {
        private final FlinkLine line;
        private final Fault fault;
        private final FaultPhase phase;
        private final Victim victim;

        private Cell(FlinkLine line, Fault fault, FaultPhase phase, Victim victim) {
            this.line = line;
            this.fault = fault;
            this.phase = phase;
            this.victim = victim;
        }

        private boolean isPossible() {
            switch (phase) {
                case DEPLOYING:
                    // nobody is there yet
                    return victim != Victim.RECEIVER;
                case RETIRING:
                case CANCELLING:
                    // it does not get to throw any more
                    return victim != Victim.DONOR || fault != Fault.TASK_THROWS;
                case DISCONNECTING:
                    // it is gone
                    return victim != Victim.DONOR;
                default:
                    return true;
            }
        }

        /** A subtask that is being cancelled may as well die: the job need not restart. */
        private boolean isHarmless() {
            return phase == FaultPhase.CANCELLING && victim == Victim.DONOR;
        }

        /** A new JobManager knows the rescale that ran at the last checkpoint. */
        private boolean isKnownAfterwards() {
            return !(fault.isOfJobManager() || fault.isOfZooKeeper()) || phase.isAfterCheckpoint();
        }

        private String vertex() {
            return victim == Victim.UPSTREAM
                    ? FaultJob.SOURCE
                    : victim == Victim.DOWNSTREAM ? FaultJob.SINK : FaultJob.COUNT;
        }

        private int subtask() {
            boolean leavesOrIsNew = (victim == Victim.DONOR) != phase.isScaleOut();
            return vertex().equals(FaultJob.COUNT) && leavesOrIsNew ? 1 : 0;
        }

        private String name() {
            return fault + "-" + phase + "-" + victim;
        }

        @Override
        public String toString() {
            return name() + " on " + line;
        }
    }

    static Stream<Cell> cells() {
        Stream.Builder<Cell> cells = Stream.builder();
        for (FlinkLine line : lines()) {
            List<Cell> all = cells(line);
            if (line == FlinkLine.V1_12 || DRAWN == 0) {
                String chosen = System.getProperty("faults.cells");
                all.stream().filter(cell -> cell.name().matches(chosen)).forEach(cells);
            } else {
                Collections.shuffle(all, random());
                all.subList(0, DRAWN).forEach(cells);
            }
        }
        return cells.build();
    }

    private static List<FlinkLine> lines() {
        return Arrays.stream(System.getProperty("faults.flink", "1.12").split(","))
                .map(FlinkLine::of)
                .collect(Collectors.toList());
    }

    private static Random random() {
        LOG.warn("What is drawn is drawn by -Dfaults.seed={}.", SEED);
        return new Random(SEED);
    }

    private static List<Cell> cells(FlinkLine line) {
        List<Cell> all = new ArrayList<>();
        for (Fault fault : Fault.values()) {
            for (FaultPhase phase : FaultPhase.values()) {
                for (Victim victim : Victim.values()) {
                    Cell cell = new Cell(line, fault, phase, victim);
                    if (fault.canHit(victim) && cell.isPossible()) {
                        all.add(cell);
                    }
                }
            }
        }
        return all;
    }

    /** The processes of a line; those of another one end. */
    private static void open(FlinkLine line) throws Exception {
        if (labLine != line) {
            stop();
            lab =
                    FaultLab.start(
                            new Installation(Paths.get(System.getProperty("meces.home")), line),
                            4,
                            Paths.get("target", "it", "faults-" + line).toAbsolutePath(),
                            System.getProperty("faults.transition-service", "netty"));
            labLine = line;
        }
    }

    @AfterAll
    static void stop() {
        if (lab != null) {
            lab.close();
            lab = null;
            labLine = null;
        }
    }

    @ParameterizedTest
    @MethodSource("cells")
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void theJobRecoversAndTheRescaleReachesItsTarget(Cell cell) throws Exception {
        open(cell.line);
        int from = cell.phase.isScaleOut() ? 1 : 2;
        int to = 3 - from;
        boolean withoutSlot = cell.phase == FaultPhase.DEPLOYING;
        int taskManagers = 1 + (withoutSlot ? from : 2) + SINKS;
        lab.taskManagers(taskManagers);
        if (cell.fault.isOfJobManager()) {
            lab.ensureStandby();
        } else if (cell.fault.isOfZooKeeper()) {
            lab.removeStandby();
        }
        boolean rocksDB = ROCKSDB || cell.phase == FaultPhase.TRANSFERRING;
        try (FaultTrial trial =
                new FaultTrial(lab, from, SINKS, rocksDB, cell.phase.payload(), false)) {
            cell.phase.reach(trial, to);
            long before = trial.lastRestart();
            trial.beforeFault();
            ServerProcess paused = null;
            switch (cell.fault) {
                case KILL_TASK_MANAGER:
                    lab.kill(trial.hostOf(cell.vertex(), cell.subtask()));
                    break;
                case PAUSE_TASK_MANAGER:
                    paused = trial.hostOf(cell.vertex(), cell.subtask());
                    paused.pause();
                    lab.startTaskManager();
                    break;
                case TASK_THROWS:
                    trial.switches().fail(cell.vertex(), cell.subtask());
                    break;
                case KILL_JOB_MANAGER:
                    lab.killLeader();
                    break;
                case PAUSE_JOB_MANAGER:
                    lab.pauseLeader();
                    break;
                case RESTART_ZOOKEEPER:
                    lab.restartZooKeeper(Duration.ZERO);
                    break;
                default:
                    lab.restartZooKeeper(FaultLab.SESSION.multipliedBy(2));
            }
            if (!cell.isHarmless()) {
                trial.awaitNoticed();
            }
            trial.releaseAll();
            if (paused == null) {
                lab.taskManagers(taskManagers);
            }
            trial.awaitRecovered();
            if (withoutSlot) {
                lab.startTaskManager();
            }
            boolean resumed = trial.awaitTarget(to);
            LOG.warn("{}: {}", cell, resumed ? "went on" : "was asked for again");
            long restart = trial.lastRestart();
            if (cell.isHarmless()) {
                assertThat(restart).as("restart").isEqualTo(before);
            }
            if (paused != null) {
                paused.resume();
            }
            if (cell.fault == Fault.PAUSE_JOB_MANAGER) {
                lab.resumeFormerLeader();
            }
            lab.taskManagers(lab.taskManagers());

            Verdict verdict = trial.finish(to);

            assertThat(verdict.lost).as("lost").isZero();
            assertThat(verdict.reordered).as("reordered or counted twice").isZero();
            assertThat(verdict.unknown).as("unknown").isZero();
            if (cell.fault != Fault.PAUSE_JOB_MANAGER) {
                // What a former leader says to TaskManagers before it learns that it leads no more
                // is not fenced by Flink 1.12, and may cost a restart.
                assertThat(trial.lastRestart()).as("restart by what went on").isEqualTo(restart);
            }
            if (cell.isKnownAfterwards()) {
                assertThat(resumed).as("went on by itself").isTrue();
            }
        }
    }

    /** Those that rescale jobs with unaligned checkpoints. */
    static Stream<FlinkLine> unalignedLines() {
        return lines().stream().filter(line -> line != FlinkLine.V1_12);
    }

    /**
     * A TaskManager ends at any moment of a rescale under back pressure, with unaligned checkpoints
     * before and after it: records in flight are part of what is restored. Part of no build: on a
     * busy machine the checkpoints that a rescale waits for take longer than its patience.
     */
    @ParameterizedTest
    @MethodSource("unalignedLines")
    @EnabledIfSystemProperty(named = "faults.back-pressure", matches = "true")
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void theJobRecoversUnderBackPressure(FlinkLine line) throws Exception {
        open(line);
        Random random = random();
        int from = 1 + random.nextInt(2);
        int to = 3 - from;
        String victim =
                Arrays.asList(FaultJob.SOURCE, FaultJob.COUNT, FaultJob.SINK)
                        .get(random.nextInt(3));
        Duration moment = Duration.ofMillis(random.nextInt(MOMENT_MILLIS));
        int taskManagers = 1 + 2 + SINKS;
        lab.taskManagers(taskManagers);
        try (FaultTrial trial = new FaultTrial(lab, from, SINKS, ROCKSDB, 0, true)) {
            // between steps a checkpoint would go first each time, behind the backlog
            trial.rescaleAtOnce(to);
            lab.watchdog().pause(moment);
            LOG.warn(
                    "{} to {}: {} ends after {} in {}",
                    from,
                    to,
                    victim,
                    moment,
                    trial.status().state());
            trial.beforeFault();
            lab.kill(trial.hostOf(victim, 0));
            trial.awaitNoticed();
            lab.taskManagers(taskManagers);
            trial.awaitRecovered();
            trial.awaitTarget(to);

            Verdict verdict = trial.finish(to);

            assertThat(verdict.lost).as("lost").isZero();
            assertThat(verdict.reordered).as("reordered or counted twice").isZero();
            assertThat(verdict.unknown).as("unknown").isZero();
        }
    }
}
