// SPDX-License-Identifier: Apache-2.0
package io.meces.foreign;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Flink's bundled streaming examples, as their jars are released. */
final class Examples {

    private static final String PACKAGE = "org.apache.flink.streaming.examples.";

    private static final int ANY = Integer.MAX_VALUE;

    /** Those that end before a rescale could begin. */
    private static final int NONE = 0;

    /** A step waits for the records before its marker, of which the network is full. */
    private static final int UNDER_BACK_PRESSURE = 2;

    private static final int LINES = 10_000;

    private static final String[] WORDS = {
        "to",
        "be",
        "or",
        "not",
        "that",
        "is",
        "the",
        "question",
        "whether",
        "nobler",
        "in",
        "mind",
        "suffer",
        "slings",
        "and",
        "arrows",
        "of",
        "outrageous",
        "fortune",
        "take",
        "arms",
        "against"
    };

    private Examples() {}

    static List<Example> all() {
        return Arrays.asList(
                new Example(
                        "WordCount",
                        "-WordCount",
                        null,
                        2,
                        ANY,
                        Example.Input.FILE,
                        text(),
                        as(Comparison.ORDER_PER_KEY, Examples::keyedByFirstField),
                        "--input",
                        "INPUT"),
                new Example(
                        "WordCount, into files",
                        "-WordCount",
                        null,
                        2,
                        ANY,
                        Example.Input.FILE,
                        text(),
                        as(Comparison.RESULTS, UnaryOperator.identity()),
                        "--input",
                        "INPUT",
                        "--output",
                        "OUTPUT"),
                new Example(
                        "WindowWordCount",
                        "",
                        PACKAGE + "windowing.WindowWordCount",
                        1,
                        ANY,
                        Example.Input.FILE,
                        text(),
                        as(Comparison.ORDER_PER_KEY, Examples::keyedByFirstField),
                        "--input",
                        "INPUT",
                        "--window",
                        "10",
                        "--slide",
                        "5"),
                new Example(
                        "TopSpeedWindowing",
                        "-TopSpeedWindowing",
                        null,
                        2,
                        ANY,
                        Example.Input.OWN_AND_ENDLESS,
                        Collections.emptyList(),
                        new Form("\\([01],\\d+,[0-9.E]+,\\d+\\)", 20)),
                new Example(
                        "TopSpeedWindowing, of a file",
                        "-TopSpeedWindowing",
                        null,
                        1,
                        ANY,
                        Example.Input.FILE,
                        cars(),
                        as(Comparison.ORDER_PER_KEY, Examples::keyedByFirstField),
                        "--input",
                        "INPUT"),
                new Example(
                        "SocketWindowWordCount",
                        "-SocketWindowWordCount",
                        null,
                        2,
                        ANY,
                        Example.Input.SOCKET,
                        text(),
                        new SumPerWord(),
                        "--hostname",
                        "localhost",
                        "--port",
                        "PORT"),
                new Example(
                        "SessionWindowing",
                        "-SessionWindowing",
                        null,
                        1,
                        NONE,
                        Example.Input.OWN_AND_SHORT,
                        Collections.emptyList(),
                        as(Comparison.RESULTS, UnaryOperator.identity())),
                new Example(
                        "WindowJoin",
                        "-WindowJoin",
                        null,
                        2,
                        ANY,
                        Example.Input.OWN_AND_ENDLESS,
                        Collections.emptyList(),
                        new Form("\\((tom|jerry|alice|bob|john|grace),\\d+,\\d+\\)", 20),
                        "--windowSize",
                        "200",
                        "--rate",
                        "200"),
                new Example(
                        "StateMachineExample",
                        "",
                        PACKAGE + "statemachine.StateMachineExample",
                        2,
                        ANY,
                        Example.Input.OWN_AND_ENDLESS,
                        Collections.emptyList(),
                        new NoAlert()),
                new Example(
                        "StateMachineExample, with errors",
                        "",
                        PACKAGE + "statemachine.StateMachineExample",
                        2,
                        ANY,
                        Example.Input.OWN_AND_ENDLESS,
                        Collections.emptyList(),
                        new Form("ALERT .*", 20),
                        "--error-rate",
                        "0.1"),
                new Example(
                        "GroupedProcessingTimeWindowExample",
                        "",
                        PACKAGE + "windowing.GroupedProcessingTimeWindowExample",
                        2,
                        UNDER_BACK_PRESSURE,
                        Example.Input.OWN_AND_ENDLESS,
                        Collections.emptyList(),
                        new Form("Took \\d+ msecs for \\d+ values", 0)),
                new Example(
                        "AsyncIOExample",
                        "",
                        PACKAGE + "async.AsyncIOExample",
                        2,
                        ANY,
                        Example.Input.OWN,
                        Collections.emptyList(),
                        as(Comparison.ORDER_PER_KEY, Examples::keyedByFirstField),
                        "--maxCount",
                        "1000",
                        "--failRatio",
                        "0",
                        "--waitOperatorParallelism",
                        "1"),
                new Example(
                        "TwitterExample",
                        "",
                        PACKAGE + "twitter.TwitterExample",
                        1,
                        NONE,
                        Example.Input.OWN_AND_SHORT,
                        Collections.emptyList(),
                        as(Comparison.ORDER_PER_KEY, Examples::keyedByFirstField)),
                new Example(
                        "Iteration",
                        "-Iteration",
                        null,
                        2,
                        ANY,
                        Example.Input.FILE,
                        pairs(),
                        as(Comparison.RESULTS, UnaryOperator.identity()),
                        "--input",
                        "INPUT"),
                new Example(
                        "IncrementalLearning",
                        "-IncrementalLearning",
                        null,
                        1,
                        NONE,
                        Example.Input.OWN_AND_SHORT,
                        Collections.emptyList(),
                        new NumberOfResults()));
    }

    // ------------------------------------------------------------------------
    //  What they read
    // ------------------------------------------------------------------------

    private static List<String> text() {
        Random random = new Random(1);
        return Stream.generate(
                        () ->
                                random.ints(6, 0, WORDS.length)
                                        .mapToObj(word -> WORDS[word])
                                        .collect(Collectors.joining(" ")))
                .limit(LINES)
                .collect(Collectors.toList());
    }

    private static List<String> cars() {
        int cars = 12;
        Random random = new Random(2);
        double[] distances = new double[cars];
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < LINES; i++) {
            int car = random.nextInt(cars);
            int speed = random.nextInt(100);
            distances[car] += speed / 3.6;
            lines.add("(" + car + "," + speed + "," + distances[car] + "," + i * 100L + ")");
        }
        return lines;
    }

    private static List<String> pairs() {
        Random random = new Random(3);
        return random.ints(200, 1, 50)
                .mapToObj(first -> "(" + first + "," + (1 + random.nextInt(49)) + ")")
                .collect(Collectors.toList());
    }

    // ------------------------------------------------------------------------
    //  What must hold
    // ------------------------------------------------------------------------

    /** The first field of a tuple is its key. */
    private static String keyedByFirstField(String tuple) {
        return tuple.substring(1, tuple.indexOf(',')) + ": " + tuple;
    }

    private static Example.Check as(Comparison comparison, UnaryOperator<String> keyed) {
        return new Example.Check() {
            @Override
            public String inTable() {
                return comparison.inTable;
            }

            @Override
            public List<String> differences(List<String> stock, List<String> rescaled) {
                return comparison.differences(keyed(stock), keyed(rescaled));
            }

            private List<String> keyed(List<String> results) {
                return results.stream().map(keyed).collect(Collectors.toList());
            }

            @Override
            public boolean isEnough(int results) {
                return true;
            }
        };
    }

    /** Windows end when the clock says so: what they sum up to must be the same. */
    private static final class SumPerWord implements Example.Check {
        @Override
        public String inTable() {
            return "sum per word";
        }

        @Override
        public List<String> differences(List<String> stock, List<String> rescaled) {
            return Comparison.RESULTS.differences(sums(stock), sums(rescaled));
        }

        private static List<String> sums(List<String> results) {
            Map<String, Long> sums = new TreeMap<>();
            for (String result : results) {
                String[] wordAndCount = result.split(" : ");
                sums.merge(wordAndCount[0], Long.valueOf(wordAndCount[1]), Long::sum);
            }
            return sums.entrySet().stream().map(Object::toString).collect(Collectors.toList());
        }

        @Override
        public boolean isEnough(int results) {
            return true;
        }
    }

    /** Results are random; each must be whole. */
    private static final class Form implements Example.Check {
        private final Pattern form;
        private final int enough;

        private Form(String form, int enough) {
            this.form = Pattern.compile(form);
            this.enough = enough;
        }

        @Override
        public String inTable() {
            return "form of each result";
        }

        @Override
        public List<String> differences(List<String> stock, List<String> rescaled) {
            return rescaled.stream()
                    .filter(result -> !form.matcher(result).matches())
                    .collect(Collectors.toList());
        }

        @Override
        public boolean isEnough(int results) {
            return results >= enough;
        }
    }

    /** An alert says that an event was lost, came twice or overtook another. */
    private static final class NoAlert implements Example.Check {
        @Override
        public String inTable() {
            return "no alert";
        }

        @Override
        public List<String> differences(List<String> stock, List<String> rescaled) {
            return rescaled;
        }

        @Override
        public boolean isEnough(int results) {
            return true;
        }
    }

    /** What comes out depends on what comes first, the model or what it is applied to. */
    private static final class NumberOfResults implements Example.Check {
        @Override
        public String inTable() {
            return "number of results";
        }

        @Override
        public List<String> differences(List<String> stock, List<String> rescaled) {
            return stock.size() == rescaled.size()
                    ? Collections.emptyList()
                    : Collections.singletonList(stock.size() + " and " + rescaled.size());
        }

        @Override
        public boolean isEnough(int results) {
            return true;
        }
    }
}
