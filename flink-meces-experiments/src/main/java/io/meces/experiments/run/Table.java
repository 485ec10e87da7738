// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.run;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** A table of figures. */
public final class Table {
    private final List<List<String>> rows = new ArrayList<>();

    /** A table without rows. */
    public Table(String... columns) {
        rows.add(Arrays.asList(columns));
    }

    /** Adds a row; a number without need of decimals has none, and NaN is left out. */
    public void row(List<?> cells) {
        rows.add(cells.stream().map(Table::text).collect(Collectors.toList()));
    }

    private static String text(Object cell) {
        return cell instanceof Double ? number((double) cell) : String.valueOf(cell);
    }

    /** A number for people. */
    public static String number(double value) {
        String format = Math.abs(value) < 1_000 && value != Math.rint(value) ? "%.1f" : "%.0f";
        return Double.isNaN(value) ? "" : String.format(Locale.ROOT, format, value);
    }

    /** As Markdown. */
    public String markdown() {
        List<String> lines = new ArrayList<>();
        rows.forEach(row -> lines.add("| " + String.join(" | ", row) + " |"));
        lines.add(1, "|" + String.join("", Collections.nCopies(rows.get(0).size(), "---|")));
        return String.join("\n", lines) + "\n";
    }

    /** As lines with commas. */
    public List<String> csv() {
        return rows.stream().map(row -> String.join(",", row)).collect(Collectors.toList());
    }
}
