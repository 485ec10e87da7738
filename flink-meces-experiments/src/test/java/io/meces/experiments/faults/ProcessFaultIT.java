// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.experiments.cluster.Installation;
import io.meces.experiments.measure.Verdict;
import io.meces.servers.ServerProcess;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Faults of real processes in chosen phases of a rescale: the job counts every record exactly once,
 * the rescale reaches its target, and nothing of its interrupted attempt is left. The property
 * {@code faults.cells} is a regular expression of the cells to run, such as {@code
 * KILL_TASK_MANAGER.*}; the build's own are a few, and one in a quick build. {@code
 * faults.transition-service} may be {@code kafka-redis}, {@code faults.state-backend} may be {@code
 * rocksdb}; in the phase {@link FaultPhase#TRANSFERRING} state is always there.
 */
class ProcessFaultIT {
    private static final Logger LOG = LoggerFactory.getLogger(ProcessFaultIT.class);
    private static final int SINKS = 1;
    private static final boolean ROCKSDB =
            System.getProperty("faults.state-backend", "heap").equals("rocksdb");

    private static FaultLab lab;

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
        private final Fault fault;
        private final FaultPhase phase;
        private final Victim victim;

        private Cell(Fault fault, FaultPhase phase, Victim victim) {
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

        @Override
        public String toString() {
            return fault + "-" + phase + "-" + victim;
        }
    }

    static Stream<Cell> cells() {
        List<Cell> all = new ArrayList<>();
        for (Fault fault : Fault.values()) {
            for (FaultPhase phase : FaultPhase.values()) {
                for (Victim victim : Victim.values()) {
                    Cell cell = new Cell(fault, phase, victim);
                    if (fault.canHit(victim) && cell.isPossible()) {
                        all.add(cell);
                    }
                }
            }
        }
        String chosen = System.getProperty("faults.cells");
        return all.stream().filter(cell -> cell.toString().matches(chosen));
    }

    @BeforeAll
    static void start() throws Exception {
        Path home = Paths.get(System.getProperty("meces.home"));
        lab =
                FaultLab.start(
                        new Installation(home),
                        4,
                        Paths.get("target", "it", "faults").toAbsolutePath(),
                        System.getProperty("faults.transition-service", "netty"));
    }

    @AfterAll
    static void stop() {
        if (lab != null) {
            lab.close();
        }
    }

    @ParameterizedTest
    @MethodSource("cells")
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void theJobRecoversAndTheRescaleReachesItsTarget(Cell cell) throws Exception {
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
        try (FaultTrial trial = new FaultTrial(lab, from, SINKS, rocksDB, cell.phase.payload())) {
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
}
