// SPDX-License-Identifier: Apache-2.0
package io.meces.core.simulation;

import io.meces.core.command.StepMoves;
import io.meces.core.command.TaskCommand;
import io.meces.core.command.TaskReport;
import io.meces.core.id.AttemptId;
import java.util.BitSet;
import java.util.List;

/** An upstream subtask: emits records and watermarks by its own routing table. */
final class SimulatedSource extends SimulatedTask {

    /** For how long a subtask asks for a partition that is gone. */
    private static final long PARTITION_TIMEOUT_NANOS = 23_000_000_000L;

    private final List<SimulatedElement> elements;
    private final int[] owners;
    private final BitSet connected = new BitSet();
    private final boolean broadcasts;
    private int position;
    private long watermark = Long.MIN_VALUE;

    SimulatedSource(int index, Execution job, int position, int[] owners, int subtasks) {
        super("upstream", index, AttemptId.random(), job);
        this.elements = world.oracle().elementsOf(index);
        this.position = position;
        this.owners = owners;
        this.broadcasts = job.broadcastChannels.get(index);
        connected.set(0, subtasks);
        act(this::canEmit, this::emit);
    }

    @Override
    boolean isBlocked() {
        return position < elements.size() && isFull(elements.get(position));
    }

    private boolean isFull(SimulatedElement next) {
        int capacity = world.scenario().settings().channelCapacity;
        switch (next.kind) {
            case RECORD:
                SimulatedElastic owner =
                        job.elastic[owners[next.unit / world.scenario().settings().subGroups]];
                return owner != null && owner.channel(index).size() >= capacity;
            case BROADCAST:
                for (int s = connected.nextSetBit(0); s >= 0; s = connected.nextSetBit(s + 1)) {
                    if (job.elastic[s] != null
                            && job.elastic[s].channel(index).size() >= capacity) {
                        return true;
                    }
                }
                return false;
            default:
                return false;
        }
    }

    private boolean canEmit() {
        return !world.isPaused()
                && (position < elements.size()
                        ? !isFull(elements.get(position))
                        : world.scenario().ends(index));
    }

    boolean isAtEnd() {
        return position == elements.size();
    }

    long watermark() {
        return watermark;
    }

    private void emit() {
        if (position == elements.size()) {
            watermark = Long.MAX_VALUE;
            broadcast(SimulatedElement.watermark(index, Long.MAX_VALUE));
            broadcast(SimulatedElement.end(index));
            finish();
            // what they would read is released: a subtask that asks for it fails in the end
            for (SimulatedElastic subtask : job.elastic) {
                if (subtask != null && subtask.isAlive() && !connected.get(subtask.index)) {
                    world.at(world.now() + PARTITION_TIMEOUT_NANOS, subtask::starve);
                }
            }
            return;
        }
        SimulatedElement element = elements.get(position++);
        world.trace("%s emits %s", name, element);
        switch (element.kind) {
            case RECORD:
                job.ledger.onEmitted(element, watermark);
                send(owners[element.unit / world.scenario().settings().subGroups], element);
                break;
            case BROADCAST:
                job.ledger.onBroadcastEmitted(element);
                broadcast(element);
                break;
            default:
                watermark = element.time;
                broadcast(element);
        }
    }

    private void send(int subtask, SimulatedElement element) {
        SimulatedElastic target = job.elastic[subtask];
        if (target != null && !target.isDead()) {
            target.channel(index).add(element);
        } else {
            Ledger.check(
                    element.kind != SimulatedElement.Kind.RECORD || job.isFailing(),
                    "%s sends %s to subtask %d, which is not there",
                    name,
                    element,
                    subtask);
        }
    }

    private void broadcast(SimulatedElement element) {
        for (int s = connected.nextSetBit(0); s >= 0; s = connected.nextSetBit(s + 1)) {
            send(s, element);
        }
    }

    // ------------------------------------------------------------------------
    //  Commands
    // ------------------------------------------------------------------------

    @Override
    void onCommand(TaskCommand command) {
        if (command instanceof TaskCommand.Connect) {
            TaskCommand.Connect connect = (TaskCommand.Connect) command;
            connected.set(connect.from(), connect.to());
            if (watermark > Long.MIN_VALUE) {
                broadcast(SimulatedElement.watermark(index, watermark));
            }
            report(new TaskReport.Connected(command.rescale()));
        } else if (command instanceof TaskCommand.Disconnect) {
            TaskCommand.Disconnect disconnect = (TaskCommand.Disconnect) command;
            connected.clear(disconnect.from(), disconnect.to());
            report(new TaskReport.Disconnected(command.rescale()));
        } else if (command instanceof TaskCommand.Switch) {
            switchRouting(((TaskCommand.Switch) command).moves());
        } else {
            throw new IllegalArgumentException("unknown command " + command);
        }
    }

    private void switchRouting(StepMoves moves) {
        route(moves);
        mark(moves);
    }

    /** For broken variants. */
    private void later(int turns, Runnable action) {
        post(
                () -> {
                    if (turns > 0) {
                        later(turns - 1, action);
                    } else {
                        action.run();
                    }
                });
    }

    private void route(StepMoves moves) {
        if (!broadcasts) {
            for (int i = 0; i < moves.size(); i++) {
                owners[moves.keyGroup(i)] = moves.to(i);
            }
        }
    }

    private void mark(StepMoves moves) {
        broadcast(SimulatedElement.marker(index, moves.step()));
    }

    // ------------------------------------------------------------------------
    //  Checkpoints
    // ------------------------------------------------------------------------

    void takeCheckpoint(Checkpoint checkpoint) {
        if (isAborted(checkpoint.id)) {
            broadcast(SimulatedElement.cancel(index, checkpoint.id));
        } else {
            broadcast(SimulatedElement.barrier(index, checkpoint.id));
            acknowledge(checkpoint);
        }
    }

    private void acknowledge(Checkpoint checkpoint) {
        int now = position;
        tell(
                () ->
                        master.coordinator()
                                .acknowledge(
                                        checkpoint,
                                        this,
                                        snapshot -> snapshot.positions[index] = now));
    }

    @Override
    void onCheckpointComplete(long checkpoint) {
        // a source has nothing to commit
    }
}
