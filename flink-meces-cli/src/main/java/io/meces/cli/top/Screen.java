// SPDX-License-Identifier: Apache-2.0
package io.meces.cli.top;

import io.meces.api.RescaleCause;
import io.meces.api.RescaleDetails;
import io.meces.api.VertexChange;
import io.meces.cli.RescalePrinter;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/** Makes lines of a snapshot. Stateless. */
public final class Screen {

    /** How many rescales that have ended are shown. */
    private static final int HISTORY = 5;

    private static final int BAR = 20;
    private static final int LONGEST_NAME = 44;
    private static final int BEHIND_NAME = 36;
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HH:mm:ss");

    private Screen() {}

    /**
     * The lines.
     *
     * @param width none is longer
     * @param height there are no more; the busiest subtasks of a vertex are shown where not all fit
     */
    public static List<String> lines(
            JobSnapshot job, Instant now, ZoneId zone, int width, int height) {
        List<String> below = new ArrayList<>();
        running(job, zone, below);
        ended(job, zone, below);
        List<String> lines = new ArrayList<>();
        String time = TIME.format(now.atZone(zone));
        String title = cut(job.name, Math.max(1, width - time.length() - job.state.length() - 4));
        lines.add(pad(title + "  " + job.state, Math.max(0, width - time.length())) + time);
        lines.add(job.id);
        if (job.elasticity.refusal() != null) {
            lines.add("cannot be rescaled: " + job.elasticity.refusal());
        }
        long elastic = job.vertices.stream().filter(JobSnapshot.Vertex::isElastic).count();
        int fixed = lines.size() + below.size() + job.vertices.size() + 2 * (int) elastic;
        int rows = elastic == 0 ? 0 : Math.max(1, (height - fixed) / (int) elastic);
        // what stands behind it is not to be cut off
        int nameWidth = Math.max(8, Math.min(LONGEST_NAME, width - BEHIND_NAME));
        for (JobSnapshot.Vertex vertex : job.vertices) {
            vertex(vertex, nameWidth, rows, lines);
        }
        lines.addAll(below);
        return lines.stream()
                .limit(height)
                .map(line -> cut(line, width))
                .collect(Collectors.toList());
    }

    private static void vertex(
            JobSnapshot.Vertex vertex, int nameWidth, int rows, List<String> lines) {
        int parallelism = vertex.subtasks.size();
        String name = pad(cut(vertex.name, nameWidth), nameWidth);
        if (!vertex.isElastic()) {
            lines.add(
                    name
                            + String.format(
                                    Locale.ROOT,
                                    " parallelism %4d  %s out/s",
                                    parallelism,
                                    number(sum(vertex, subtask -> subtask.recordsOut), 9)));
            return;
        }
        lines.add(
                name
                        + String.format(
                                Locale.ROOT,
                                " parallelism %4d of %d",
                                parallelism,
                                vertex.capacity));
        lines.add("  subtask  key-groups          records/s   busy  parked");
        List<Integer> shown = shown(vertex, rows);
        int most = vertex.subtasks.stream().mapToInt(subtask -> subtask.keyGroups).max().orElse(0);
        for (int index : shown) {
            JobSnapshot.Subtask subtask = vertex.subtasks.get(index);
            lines.add(
                    String.format(
                            Locale.ROOT,
                            "  %7d  %5s %-10s %s %6s %s",
                            index,
                            subtask.keyGroups < 0 ? "-" : String.valueOf(subtask.keyGroups),
                            bar(10, subtask.keyGroups, most),
                            number(subtask.recordsIn, 12),
                            percent(subtask.busy),
                            number(subtask.parked, 7)));
        }
        if (shown.size() < parallelism) {
            lines.add("          and " + (parallelism - shown.size()) + " more");
        }
    }

    /** All if there is room; else those with most records, in the order of their indices. */
    private static List<Integer> shown(JobSnapshot.Vertex vertex, int rows) {
        List<Integer> all = new ArrayList<>();
        for (int i = 0; i < vertex.subtasks.size(); i++) {
            all.add(i);
        }
        if (all.size() <= rows) {
            return all;
        }
        return all.stream()
                .sorted(
                        (a, b) ->
                                Double.compare(
                                        orZero(vertex.subtasks.get(b).recordsIn),
                                        orZero(vertex.subtasks.get(a).recordsIn)))
                // the last row says how many more there are
                .limit(Math.max(1, rows - 1))
                .sorted()
                .collect(Collectors.toList());
    }

    private static void running(JobSnapshot job, ZoneId zone, List<String> lines) {
        for (RescaleDetails rescale : job.rescales) {
            if (!rescale.status().isTerminal()) {
                lines.add("");
                lines.add(
                        "rescale "
                                + rescale.id()
                                + "  "
                                + rescale.status()
                                + (rescale.state() == null ? "" : " " + rescale.state()));
                lines.add("  " + changes(rescale) + cause(rescale));
                lines.add(
                        String.format(
                                Locale.ROOT,
                                "  [%-" + BAR + "s] %s  units %d/%d (%d on demand)",
                                bar(BAR, rescale.unitsMigrated(), rescale.unitsTotal()),
                                RescalePrinter.steps(rescale),
                                rescale.unitsMigrated(),
                                rescale.unitsTotal(),
                                rescale.unitsOnDemand()));
                lines.add(
                        String.format(
                                Locale.ROOT,
                                "  %.1f s  %s  longest wait of a record %s ms",
                                rescale.durationMs() / 1_000.0,
                                bytes(rescale.bytes()),
                                millis(rescale.longestWaitMicros())));
                if (rescale.missingSlots() > 0) {
                    lines.add("  " + RescalePrinter.slots(rescale, zone));
                }
                if (rescale.interruption() != null) {
                    lines.add("  interrupted: " + rescale.interruption());
                }
            }
        }
    }

    private static void ended(JobSnapshot job, ZoneId zone, List<String> lines) {
        List<RescaleDetails> ended =
                job.rescales.stream()
                        .filter(rescale -> rescale.status().isTerminal())
                        .collect(Collectors.toList());
        if (ended.isEmpty()) {
            return;
        }
        lines.add("");
        lines.add(String.format("%-45s%8s %13s", "last rescales", "duration", "longest wait"));
        for (int i = ended.size() - 1; i >= Math.max(0, ended.size() - HISTORY); i--) {
            RescaleDetails rescale = ended.get(i);
            lines.add(
                    String.format(
                            Locale.ROOT,
                            "  %s  %-8s %-22s %7.1f s %10s ms%s",
                            TIME.format(Instant.ofEpochMilli(rescale.startTime()).atZone(zone)),
                            rescale.status(),
                            cut(changes(rescale), 22),
                            rescale.durationMs() / 1_000.0,
                            millis(rescale.longestWaitMicros()),
                            cause(rescale)));
            if (rescale.failure() != null) {
                lines.add("    " + rescale.failure());
            }
        }
    }

    private static String changes(RescaleDetails rescale) {
        List<String> changes = new ArrayList<>();
        for (VertexChange vertex : rescale.vertices()) {
            String first = vertex.name().split(" -> ")[0];
            changes.add(cut(first, 16) + " " + vertex.from() + " -> " + vertex.to());
        }
        return String.join(", ", changes);
    }

    private static String cause(RescaleDetails rescale) {
        return rescale.cause() == null || rescale.cause() == RescaleCause.USER
                ? ""
                : "  " + rescale.cause();
    }

    private static double sum(
            JobSnapshot.Vertex vertex, ToDoubleFunction<JobSnapshot.Subtask> figure) {
        return vertex.subtasks.stream().mapToDouble(figure).sum();
    }

    private static double orZero(double value) {
        return Double.isNaN(value) ? 0 : value;
    }

    private static String number(double value, int width) {
        return String.format(
                Locale.ROOT,
                "%" + width + "s",
                Double.isNaN(value) ? "-" : String.format(Locale.ROOT, "%,.0f", value));
    }

    private static String percent(double millisPerSecond) {
        return Double.isNaN(millisPerSecond)
                ? "-"
                : String.format(Locale.ROOT, "%.0f%%", millisPerSecond / 10);
    }

    private static String millis(long micros) {
        return String.format(Locale.ROOT, "%,.1f", micros / 1_000.0);
    }

    private static String bytes(long bytes) {
        return bytes < 10_000
                ? bytes + " bytes"
                : bytes < 10_000_000 ? bytes / 1_000 + " kB" : bytes / 1_000_000 + " MB";
    }

    private static String bar(int length, long part, long whole) {
        StringBuilder bar = new StringBuilder();
        for (long i = 0; whole > 0 && i < length * part / whole; i++) {
            bar.append('#');
        }
        return bar.toString();
    }

    private static String pad(String text, int width) {
        StringBuilder padded = new StringBuilder(text);
        while (padded.length() < width) {
            padded.append(' ');
        }
        return padded.toString();
    }

    /** Of text from a job also what would move the cursor is taken out. */
    private static String cut(String text, int width) {
        String plain = text.replaceAll("\\p{Cntrl}", " ");
        if (plain.length() <= width) {
            return plain;
        }
        return width < 4 ? plain.substring(0, width) : plain.substring(0, width - 3) + "...";
    }
}
