// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.soak;

import java.util.Random;

/** What is done in a soak, one thing after the other without end; the seed determines it. */
final class SoakPlan {
    private final Random random;
    private final int taskManagers;
    private final int maxParallelism;
    private final long meanPauseMillis;
    private int parallelism;

    /**
     * A plan from its beginning.
     *
     * @param seed determines all
     * @param taskManagers how many there are to be killed
     * @param parallelism from which rescales begin
     * @param maxParallelism up to which they go; more than 1
     * @param meanPauseMillis between two actions
     */
    SoakPlan(
            long seed,
            int taskManagers,
            int parallelism,
            int maxParallelism,
            long meanPauseMillis) {
        this.random = new Random(seed);
        this.taskManagers = taskManagers;
        this.parallelism = parallelism;
        this.maxParallelism = maxParallelism;
        this.meanPauseMillis = meanPauseMillis;
    }

    /** Of 20 actions 16 are rescales: 4 of them with a kill, and 3 are aborted. */
    SoakAction next() {
        long pause = (long) (random.nextDouble() * 2 * meanPauseMillis);
        int kind = random.nextInt(20);
        int victim = random.nextInt(taskManagers);
        if (kind == 0 || kind == 1) {
            return SoakAction.kill(pause, victim);
        }
        if (kind == 2 || kind == 3) {
            return SoakAction.savepoint(pause);
        }
        int other = 1 + random.nextInt(maxParallelism - 1);
        parallelism = other < parallelism ? other : other + 1;
        SoakAction rescale = SoakAction.rescale(pause, parallelism);
        // most rescales of such a job take less than a second
        long after = (long) (Math.pow(random.nextDouble(), 2) * 2_000);
        if (kind < 8) {
            return rescale.withKill(after, victim);
        }
        return kind < 11 ? rescale.withAbort(after, random.nextBoolean()) : rescale;
    }
}
