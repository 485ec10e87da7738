// SPDX-License-Identifier: Apache-2.0
package io.meces.core.rescale;

import io.meces.core.checkpoint.CheckpointControl;
import io.meces.core.command.StateDescription;
import io.meces.core.command.TaskCommand;
import io.meces.core.id.AttemptId;
import io.meces.core.id.VertexId;
import io.meces.core.job.ElasticVertex;
import io.meces.core.job.JobState;
import io.meces.core.job.RescaleContext;
import io.meces.core.job.RescaleMetrics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;

/** A scheduler in which nothing happens but what the test does. One thread. */
public final class FakeContext implements RescaleContext, CheckpointControl {

    public static final Duration CHECKPOINT_TIMEOUT = Duration.ofSeconds(80);

    public final List<String> log = new ArrayList<>();
    final RecordedMetrics metrics = new RecordedMetrics();
    final List<TaskCommand> sent = new ArrayList<>();
    public final List<CompletableFuture<Long>> checkpoints = new ArrayList<>();
    public CompletableFuture<StateDescription> state =
            CompletableFuture.completedFuture(new StateDescription(new byte[0], null));
    public CompletableFuture<Void> deployment = new CompletableFuture<>();
    public CompletableFuture<Void> cancellation = new CompletableFuture<>();
    public final CompletableFuture<Runnable> listState = new CompletableFuture<>();
    public final Set<String> finished = new HashSet<>();

    /** As on later lines of Flink. */
    public boolean checkpointsOutliveTasks;

    final Set<String> starting = new HashSet<>();

    /** Subtasks of the vertex that wait for one. */
    public final Set<Integer> withoutSlot = new HashSet<>();

    CompletableFuture<Integer> freeSlots = CompletableFuture.completedFuture(100);
    RuntimeException unforeseen;
    boolean restarted;
    public boolean quiet = true;
    public boolean standing;
    private int standingAborts;
    public boolean oneWaiting;
    public boolean inFlight;
    boolean savepointAwaited;
    long intervalMillis = 60_000;
    long[] checkpointedKeyGroups;
    JobState jobState = JobState.RUNNING;
    Throwable failure;
    public boolean canRestart = true;
    boolean subtasksWaitForSlots;
    int slotsGivenBack;

    /** That of the last command which belongs to one. */
    UUID rescale;

    /** Commands of this kind do not arrive. */
    public Class<? extends TaskCommand> lost;

    /** Commands of this kind cannot be sent. */
    Class<? extends TaskCommand> broken;

    /** How many subtasks an upstream has. */
    int sources = 1;

    private final ElasticVertex vertex;
    private final Map<String, AttemptId> attempts = new HashMap<>();
    private final Map<Runnable, Duration> timers = new HashMap<>();
    private long nanos;
    private long gapsSince;

    FakeContext(ElasticVertex vertex) {
        this.vertex = vertex;
    }

    /** Lets time pass; what is due runs. */
    public void advance(Duration time) {
        long until = nanos + time.toNanos();
        while (true) {
            Map.Entry<Runnable, Duration> next =
                    timers.entrySet().stream()
                            .filter(timer -> timer.getValue().toNanos() <= until)
                            .min(Map.Entry.comparingByValue())
                            .orElse(null);
            if (next == null) {
                nanos = until;
                return;
            }
            Runnable action = next.getKey();
            nanos = Math.max(nanos, next.getValue().toNanos());
            timers.remove(action);
            action.run();
        }
    }

    /** All tasks are other attempts from now on, and run. */
    void restartAll() {
        attempts.clear();
        finished.clear();
    }

    /** The kinds of commands sent since the last call. */
    public List<String> takeSent() {
        List<String> kinds = new ArrayList<>();
        sent.forEach(c -> kinds.add(c.getClass().getSimpleName()));
        sent.clear();
        return kinds;
    }

    @Override
    public JobState jobState() {
        return jobState;
    }

    @Override
    public boolean hasVertex(String id, String name) {
        return "source".equals(name);
    }

    @Override
    public Collection<VertexId> vertices() {
        Set<VertexId> all = new LinkedHashSet<>(vertex.upstreams());
        all.add(vertex.id());
        return all;
    }

    @Override
    public Object slotSharingGroup(VertexId id) {
        if (unforeseen != null) {
            throw unforeseen;
        }
        return "default";
    }

    @Override
    public CompletableFuture<Integer> freeSlots() {
        return freeSlots;
    }

    @Override
    public String name(VertexId id) {
        return id.equals(vertex.id()) ? vertex.name() : "source";
    }

    @Override
    public boolean giveBackSlots() {
        if (subtasksWaitForSlots) {
            return false;
        }
        slotsGivenBack++;
        return true;
    }

    @Override
    public int activeSubtasks(VertexId id) {
        return id.equals(vertex.id())
                ? vertex.connected()
                : vertex.upstreams().contains(id) ? sources : 1;
    }

    @Override
    public boolean isRunning(VertexId id, int subtask) {
        return !isFinished(id, subtask) && !starting.contains(id + "/" + subtask);
    }

    @Override
    public boolean hasSlot(VertexId id, int subtask) {
        return !withoutSlot.contains(subtask);
    }

    @Override
    public boolean isFinished(VertexId id, int subtask) {
        return finished.contains(id + "/" + subtask);
    }

    @Override
    public String endOfCheckpoints() {
        return finished.isEmpty() || checkpointsOutliveTasks
                ? null
                : "a subtask of 'some vertex' has finished. There is no checkpoint after that";
    }

    @Override
    public boolean hasRestarted() {
        return restarted;
    }

    @Override
    public AttemptId attempt(VertexId id, int subtask) {
        return attempts.computeIfAbsent(id + "/" + subtask, k -> AttemptId.random());
    }

    @Override
    public int gatesFrom(VertexId consumer, ElasticVertex producer) {
        return 1;
    }

    @Override
    public CompletableFuture<StateDescription> describeState(
            ElasticVertex v, int subtask, List<byte[]> others) {
        return state;
    }

    @Override
    public CompletableFuture<?> deploy(ElasticVertex v, int from, int to, byte[] format) {
        log.add("deploy " + from + ".." + to);
        return deployment;
    }

    @Override
    public CompletableFuture<?> cancel(ElasticVertex v, int from, int to) {
        log.add("cancel " + from + ".." + to);
        return cancellation;
    }

    @Override
    public void publishPartitions(ElasticVertex v, int from, int to) {
        log.add("publish " + from + ".." + to);
    }

    @Override
    public CompletableFuture<?> send(VertexId id, int subtask, TaskCommand command) {
        if (command.getClass() == broken) {
            throw new IllegalStateException("cannot be sent");
        }
        sent.add(command);
        if (!(command instanceof TaskCommand.MeasureLoad)) {
            rescale = command.rescale();
        }
        CompletableFuture<Void> delivery = new CompletableFuture<>();
        if (command.getClass() == lost) {
            delivery.completeExceptionally(new TimeoutException("nobody has answered"));
        } else {
            delivery.complete(null);
        }
        return delivery;
    }

    @Override
    public long checkpointedBytes(VertexId vertex) {
        return -1;
    }

    @Override
    public long[] checkpointedKeyGroups(ElasticVertex v) {
        return checkpointedKeyGroups;
    }

    @Override
    public CheckpointControl checkpoints() {
        return this;
    }

    @Override
    public CompletableFuture<Runnable> readListState(
            ElasticVertex v, int from, int to, long checkpoint) {
        log.add("read " + from + ".." + to + " of " + checkpoint);
        return listState;
    }

    @Override
    public void schedule(Runnable action, Duration delay) {
        timers.put(action, delay.plusNanos(nanos));
    }

    @Override
    public RescaleMetrics metrics() {
        return metrics;
    }

    @Override
    public void onRescaleEnded() {
        log.add("ended");
    }

    @Override
    public boolean canRestart() {
        return canRestart;
    }

    @Override
    public void failJob(Throwable cause) {
        failure = cause;
    }

    @Override
    public long currentTimeMillis() {
        return nanos / 1_000_000;
    }

    @Override
    public long nanoTime() {
        return nanos;
    }

    @Override
    public void hold() {
        log.add("hold");
    }

    @Override
    public void release() {
        log.add("release");
        oneWaiting = false;
    }

    @Override
    public void onClearing() {
        log.add("clearing");
    }

    @Override
    public boolean isQuiet() {
        return quiet;
    }

    @Override
    public void abortStanding() {
        if (standing) {
            log.add("abort standing");
            standing = false;
            quiet = true;
            standingAborts++;
        }
    }

    @Override
    public int standingAborts() {
        return standingAborts;
    }

    @Override
    public void abortRunning() {
        log.add("abort");
        quiet = true;
    }

    @Override
    public long lastPassed() {
        return 4;
    }

    @Override
    public boolean isOneWaiting() {
        return oneWaiting;
    }

    @Override
    public boolean isSavepointAwaited() {
        return savepointAwaited;
    }

    @Override
    public long timeoutNanos() {
        return CHECKPOINT_TIMEOUT.toNanos();
    }

    @Override
    public boolean isEnabled() {
        return true;
    }

    @Override
    public long intervalMillis() {
        return intervalMillis;
    }

    @Override
    public long untilNextNanos() {
        return Math.min(intervalMillis, Integer.MAX_VALUE) * 1_000_000;
    }

    @Override
    public CompletableFuture<Boolean> restoresNothingInFlight() {
        return CompletableFuture.completedFuture(!inFlight);
    }

    @Override
    public CompletableFuture<Long> letOnePass() {
        CompletableFuture<Long> checkpoint = new CompletableFuture<>();
        checkpoints.add(checkpoint);
        if (oneWaiting) {
            quiet = false;
        }
        oneWaiting = false;
        return checkpoint;
    }

    @Override
    public void requestOne() {
        log.add("request");
    }

    @Override
    public void measureGaps() {
        gapsSince = nanos;
    }

    @Override
    public long longestGapNanos() {
        return nanos - gapsSince;
    }
}
