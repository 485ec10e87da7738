// SPDX-License-Identifier: Apache-2.0
package io.meces.cli;

import io.meces.api.RescaleCause;
import io.meces.api.RescaleDetails;
import io.meces.api.RescalePlans;
import io.meces.api.VertexChange;
import java.io.PrintWriter;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToIntFunction;

/** Puts rescales into words. */
public final class RescalePrinter {

    private RescalePrinter() {}

    /** Prints how a rescale stands. */
    static void print(RescaleDetails rescale, PrintWriter out) {
        out.printf("%s  %s after %d ms%n", rescale.id(), standing(rescale), rescale.durationMs());
        for (VertexChange vertex : rescale.vertices()) {
            out.printf("  %s: %d to %d%n", vertex.name(), vertex.from(), vertex.to());
        }
        out.printf(
                Locale.ROOT,
                "  %s, units %d of %d (%d on demand), %d bytes; no task stopped for longer than"
                        + " %.1f ms%n",
                steps(rescale),
                rescale.unitsMigrated(),
                rescale.unitsTotal(),
                rescale.unitsOnDemand(),
                rescale.bytes(),
                rescale.longestStopMicros() / 1_000.0);
        if (rescale.cause() != null && rescale.cause() != RescaleCause.USER) {
            out.printf("  caused by: %s%n", rescale.cause());
        }
        if (rescale.stepsTotal() == 0) {
            out.println("  nothing to move");
        }
        if (rescale.recordsWaited() > 0) {
            out.printf(
                    Locale.ROOT,
                    "  %d records waited for their state, %.1f ms on average, %.1f ms at most%n",
                    rescale.recordsWaited(),
                    rescale.totalWaitMicros() / 1_000.0 / rescale.recordsWaited(),
                    rescale.longestWaitMicros() / 1_000.0);
        }
        if (rescale.keysFetched() > 0) {
            out.printf("  %d keys were fetched ahead of the rest%n", rescale.keysFetched());
        }
        if (rescale.orderEvents() > 0) {
            out.printf("  %d events kept the results in order%n", rescale.orderEvents());
        }
        if (rescale.firstRecordMs() != null) {
            out.printf("  first record at a new owner after %d ms%n", rescale.firstRecordMs());
        }
        if (rescale.longestWithoutCheckpointMs() != null) {
            out.printf(
                    "  longest time without a checkpoint %d ms%n",
                    rescale.longestWithoutCheckpointMs());
        }
        if (rescale.attempt() > 1) {
            out.printf("  attempt %d%n", rescale.attempt());
        }
        if (rescale.interruption() != null) {
            out.println("  interrupted: " + rescale.interruption());
        }
        if (rescale.failure() != null) {
            out.println("  " + rescale.failure());
        }
    }

    /** Its status, and what exactly it is doing. */
    static String standing(RescaleDetails rescale) {
        if (rescale.state() == null) {
            return rescale.status().toString();
        }
        String slots =
                rescale.missingSlots() > 0 ? ", " + slots(rescale, ZoneId.systemDefault()) : "";
        return rescale.status() + " (" + rescale.state() + slots + ")";
    }

    /** How many steps are done, and how many there are; while it runs that is an estimate. */
    public static String steps(RescaleDetails rescale) {
        return String.format(
                rescale.status().isTerminal() ? "steps %d of %d" : "steps %d of about %d",
                rescale.stepsCompleted(),
                rescale.stepsTotal());
    }

    /** What it waits for that the operator can bring. */
    public static String slots(RescaleDetails rescale, ZoneId zone) {
        return String.format(
                "waits for %d more slot(s), is given up at %tT",
                rescale.missingSlots(),
                Instant.ofEpochMilli(rescale.slotsAwaitedUntil()).atZone(zone));
    }

    /** Prints what a rescale would do. */
    static void print(RescalePlans plan, PrintWriter out) {
        plan.vertices().forEach(vertex -> print(vertex, out));
        if (plan.moreSlots() > 0) {
            out.printf(
                    "needs %d more slot(s)%s%n",
                    plan.moreSlots(),
                    plan.freeSlots() == null ? "" : "; free: " + plan.freeSlots());
        } else if (plan.moreSlots() < 0) {
            out.printf("gives %d slot(s) back%n", -plan.moreSlots());
        }
    }

    private static void print(RescalePlans.VertexPlan vertex, PrintWriter out) {
        out.printf(
                "%s: %d to %d by strategy %s%n",
                vertex.name(), vertex.from(), vertex.to(), vertex.strategy());
        int keyGroups = vertex.before().stream().mapToInt(Integer::intValue).sum();
        int moves = vertex.steps().stream().mapToInt(List::size).sum();
        if (moves == 0) {
            out.printf("  nothing to move; %d key-groups%n", keyGroups);
        } else {
            out.printf(
                    "  %d of %d key-groups move, in at least %d step(s)%n",
                    moves, keyGroups, vertex.steps().size());
        }
        boolean loadKnown = vertex.loadBefore() != null && vertex.loadAfter() != null;
        out.printf(
                "  %7s  %-14s %6s %6s%s%n",
                "subtask", "key-groups", "gives", "takes", loadKnown ? "  records/s" : "");
        for (int i = 0; i < Math.max(vertex.before().size(), vertex.after().size()); i++) {
            out.printf(
                    "  %7d  %5s -> %5s %6d %6d%s%n",
                    i,
                    at(vertex.before(), i),
                    at(vertex.after(), i),
                    count(vertex, i, move -> move.from()),
                    count(vertex, i, move -> move.to()),
                    loadKnown
                            ? "  "
                                    + rate(vertex.loadBefore(), i)
                                    + " -> "
                                    + rate(vertex.loadAfter(), i)
                            : "");
        }
        for (int step = 0; step < vertex.steps().size(); step++) {
            out.printf("  step %d: %s%n", step + 1, describe(vertex.steps().get(step)));
        }
    }

    private static String at(List<Integer> counts, int subtask) {
        return subtask < counts.size() ? counts.get(subtask).toString() : "-";
    }

    private static String rate(List<Double> rates, int subtask) {
        return subtask < rates.size()
                ? String.format(Locale.ROOT, "%.0f", rates.get(subtask))
                : "-";
    }

    private static long count(
            RescalePlans.VertexPlan vertex, int subtask, ToIntFunction<RescalePlans.Move> end) {
        return vertex.steps().stream()
                .flatMap(List::stream)
                .filter(move -> end.applyAsInt(move) == subtask)
                .count();
    }

    /** For example {@code 0 -> 2: 43-50 57; 1 -> 2: 107}: key-groups from subtask to subtask. */
    private static String describe(List<RescalePlans.Move> moves) {
        Map<String, BitSet> byPair = new TreeMap<>();
        for (RescalePlans.Move move : moves) {
            byPair.computeIfAbsent(move.from() + " -> " + move.to(), pair -> new BitSet())
                    .set(move.keyGroup());
        }
        List<String> parts = new ArrayList<>();
        byPair.forEach((pair, keyGroups) -> parts.add(pair + ":" + ranges(keyGroups)));
        return String.join("; ", parts);
    }

    private static String ranges(BitSet keyGroups) {
        StringBuilder text = new StringBuilder();
        int end;
        for (int first = keyGroups.nextSetBit(0); first >= 0; first = keyGroups.nextSetBit(end)) {
            end = keyGroups.nextClearBit(first);
            text.append(' ').append(first).append(end > first + 1 ? "-" + (end - 1) : "");
        }
        return text.toString();
    }
}
