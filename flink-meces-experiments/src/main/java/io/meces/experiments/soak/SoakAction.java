// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.soak;

/** Something that is done to a job in a soak. An immutable value. */
final class SoakAction {

    /** What it is. */
    enum Kind {
        RESCALE,
        KILL,
        SAVEPOINT
    }

    private static final long NEVER = -1;

    final Kind kind;

    /** How long nothing is done before it. */
    final long pauseMillis;

    /** To which parallelism a rescale goes. */
    final int to;

    /** The TaskManager that is killed. */
    final int victim;

    private final long killMillis;
    private final long abortMillis;
    final boolean rollback;

    private SoakAction(
            Kind kind,
            long pauseMillis,
            int to,
            int victim,
            long killMillis,
            long abortMillis,
            boolean rollback) {
        this.kind = kind;
        this.pauseMillis = pauseMillis;
        this.to = to;
        this.victim = victim;
        this.killMillis = killMillis;
        this.abortMillis = abortMillis;
        this.rollback = rollback;
    }

    static SoakAction rescale(long pauseMillis, int to) {
        return new SoakAction(Kind.RESCALE, pauseMillis, to, 0, NEVER, NEVER, false);
    }

    static SoakAction kill(long pauseMillis, int victim) {
        return new SoakAction(Kind.KILL, pauseMillis, 0, victim, NEVER, NEVER, false);
    }

    static SoakAction savepoint(long pauseMillis) {
        return new SoakAction(Kind.SAVEPOINT, pauseMillis, 0, 0, NEVER, NEVER, false);
    }

    /** The same rescale, and a TaskManager is killed so long after it was asked for. */
    SoakAction withKill(long afterMillis, int taskManager) {
        return new SoakAction(
                kind, pauseMillis, to, taskManager, afterMillis, abortMillis, rollback);
    }

    /** The same rescale, which is aborted so long after it was asked for. */
    SoakAction withAbort(long afterMillis, boolean back) {
        return new SoakAction(kind, pauseMillis, to, victim, killMillis, afterMillis, back);
    }

    boolean hasKill() {
        return killMillis != NEVER;
    }

    boolean isAborted() {
        return abortMillis != NEVER;
    }

    /** Whether the kill is due, so long after the rescale was asked for. */
    boolean isKillDue(long millis) {
        return hasKill() && millis >= killMillis;
    }

    boolean isAbortDue(long millis) {
        return isAborted() && millis >= abortMillis;
    }

    @Override
    public String toString() {
        switch (kind) {
            case RESCALE:
                return "rescale to "
                        + to
                        + (hasKill() ? ", kill " + victim + " after " + killMillis + " ms" : "")
                        + (isAborted()
                                ? (rollback ? ", roll back after " : ", abort after ")
                                        + abortMillis
                                        + " ms"
                                : "");
            case KILL:
                return "kill " + victim;
            default:
                return "savepoint";
        }
    }
}
