// SPDX-License-Identifier: Apache-2.0
package io.meces.core.simulation;

import io.meces.core.checkpoint.RescaleException;
import io.meces.core.command.StepMoves;
import io.meces.core.command.TaskCommand;
import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import javax.annotation.Nullable;

/** Brings the commands of a JobManager to tasks. Some are lost, or are not confirmed in time. */
final class CommandLink {

    private final Simulation world;

    /** Has something done by the JobManager some time later. */
    private final Consumer<Runnable> later;

    /** Not of the schedule's random numbers. */
    private final SplittableRandom random;

    private long lastStep = -1;

    CommandLink(Simulation world, Consumer<Runnable> later) {
        this.world = world;
        this.later = later;
        this.random = new SplittableRandom(~world.scenario().scheduleSeed());
    }

    /**
     * @param task null if none is deployed
     */
    CompletableFuture<?> send(@Nullable SimulatedTask task, TaskCommand command) {
        CompletableFuture<Void> sent = new CompletableFuture<>();
        String name = command.getClass().getSimpleName();
        Runnable not =
                () -> sent.completeExceptionally(new RescaleException(name + " was not delivered"));
        if (task == null) {
            later.accept(not);
            return sent;
        }
        if (command instanceof TaskCommand.StartStep) {
            onStartStep(((TaskCommand.StartStep) command).moves());
        }
        boolean late = random.nextInt(100) < world.scenario().settings().unconfirmedPercent;
        if (late && random.nextBoolean()) {
            world.trace("%s does not come to %s", name, task);
            later.accept(not);
            return sent;
        }
        task.mail(
                name,
                () -> task.receive(command),
                late ? not::run : () -> sent.complete(null),
                not::run);
        return sent;
    }

    private void onStartStep(StepMoves moves) {
        if (moves.step() == lastStep) {
            return;
        }
        lastStep = moves.step();
        Set<Integer> donors = new HashSet<>();
        Set<Integer> receivers = new HashSet<>();
        for (int i = 0; i < moves.size(); i++) {
            donors.add(moves.from(i));
            receivers.add(moves.to(i));
        }
        world.onStep(moves.donor() >= 0, receivers.stream().anyMatch(donors::contains));
    }
}
