// SPDX-License-Identifier: Apache-2.0
package io.meces.foreign;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** How the results of a rescaled job are compared with those on a stock Flink. Pure. */
enum Comparison {
    /** The same results, each as often. */
    RESULTS("results") {
        @Override
        List<String> differences(List<String> stock, List<String> rescaled) {
            return difference(counts(stock), counts(rescaled));
        }
    },

    /** The same results, those of each key in the same order. A line is "key: result". */
    ORDER_PER_KEY("order per key") {
        @Override
        List<String> differences(List<String> stock, List<String> rescaled) {
            List<String> found = difference(counts(stock), counts(rescaled));
            Map<String, List<String>> expected = byKey(stock);
            byKey(rescaled)
                    .forEach(
                            (key, lines) -> {
                                if (!lines.equals(expected.get(key))) {
                                    found.add(
                                            "order of key "
                                                    + key
                                                    + ": "
                                                    + firstDifference(expected.get(key), lines));
                                }
                            });
            return found;
        }
    },

    /**
     * The same table at the end, and at no time a retraction of a row that is not there. A line is
     * "(true,row)" or "(false,row)".
     */
    CHANGELOG("changelog") {
        @Override
        List<String> differences(List<String> stock, List<String> rescaled) {
            List<String> found = new ArrayList<>();
            Map<String, Integer> expected = table(stock, "stock", found);
            Map<String, Integer> table = table(rescaled, "rescaled", found);
            found.addAll(difference(expected, table));
            return found;
        }
    },

    /**
     * The same last result of each key. A line is "key: result", without a result if it is gone.
     */
    UPSERTS("last per key") {
        @Override
        List<String> differences(List<String> stock, List<String> rescaled) {
            return difference(counts(last(stock)), counts(last(rescaled)));
        }

        private List<String> last(List<String> lines) {
            return byKey(lines).values().stream()
                    .map(ofKey -> ofKey.get(ofKey.size() - 1))
                    .filter(line -> !line.endsWith(": "))
                    .collect(Collectors.toList());
        }
    };

    /** As in the third column of the table. */
    final String inTable;

    Comparison(String inTable) {
        this.inTable = inTable;
    }

    private static final String ADDED = "(true,";
    private static final String RETRACTED = "(false,";

    /** What is different; empty if nothing is. */
    abstract List<String> differences(List<String> stock, List<String> rescaled);

    private static Map<String, Integer> counts(List<String> lines) {
        Map<String, Integer> counts = new HashMap<>();
        lines.forEach(line -> counts.merge(line, 1, Integer::sum));
        return counts;
    }

    private static Map<String, List<String>> byKey(List<String> lines) {
        return lines.stream()
                .collect(Collectors.groupingBy(line -> line.substring(0, line.indexOf(": "))));
    }

    private static String firstDifference(List<String> expected, List<String> found) {
        if (expected == null) {
            return "unknown key";
        }
        for (int i = 0; i < Math.min(expected.size(), found.size()); i++) {
            if (!expected.get(i).equals(found.get(i))) {
                return "at " + i + " " + found.get(i) + " in the place of " + expected.get(i);
            }
        }
        return found.size() + " in the place of " + expected.size();
    }

    private static Map<String, Integer> table(List<String> log, String whose, List<String> found) {
        Map<String, Integer> table = new HashMap<>();
        for (int i = 0; i < log.size(); i++) {
            String line = log.get(i);
            if (line.startsWith(ADDED)) {
                table.merge(line.substring(ADDED.length()), 1, Integer::sum);
            } else if (line.startsWith(RETRACTED)) {
                String row = line.substring(RETRACTED.length());
                int count = table.merge(row, -1, Integer::sum);
                if (count < 0) {
                    found.add(whose + ": false retraction at " + i + " of " + row);
                } else if (count == 0) {
                    table.remove(row);
                }
            } else {
                found.add(whose + ": not of a changelog: " + line);
            }
        }
        return table;
    }

    private static List<String> difference(
            Map<String, Integer> expected, Map<String, Integer> found) {
        Map<String, Integer> delta = new TreeMap<>(found);
        expected.forEach((line, count) -> delta.merge(line, -count, Integer::sum));
        List<String> differences = new ArrayList<>();
        delta.forEach(
                (line, count) -> {
                    if (count > 0) {
                        differences.add(count + " too many: " + line);
                    } else if (count < 0) {
                        differences.add(-count + " missing: " + line);
                    }
                });
        return differences;
    }
}
