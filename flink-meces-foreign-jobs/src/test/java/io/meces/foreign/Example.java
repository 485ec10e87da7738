// SPDX-License-Identifier: Apache-2.0
package io.meces.foreign;

import java.util.Arrays;
import java.util.List;

/** One of the examples that come with Flink, and how it is tried. */
final class Example {

    /** What an example reads, and when it ends. */
    enum Input {
        /**
         * A file, at whose end it ends. What reads it does not listen before its end, so that a
         * rescale goes on then.
         */
        FILE,
        /** A socket, at whose end it ends. */
        SOCKET,
        /** Sources of its own, which take some seconds. */
        OWN,
        /** Sources of its own, which end before a rescale could begin. */
        OWN_AND_SHORT,
        /** Sources of its own, which never end; results are random. */
        OWN_AND_ENDLESS
    }

    /** As in the first column of the table. */
    final String name;

    final String jar;
    final String mainClass;
    final Input input;
    final Check check;
    final int parallelism;

    /** How often it is rescaled at most. */
    final int rescales;

    final List<String> lines;
    private final List<String> arguments;

    /**
     * An example.
     *
     * @param jar how the jar's name ends: that of one example, or empty for the one that has all
     * @param lines what it reads
     * @param arguments {@code INPUT} and {@code PORT} stand for what it reads, {@code OUTPUT} for a
     *     folder
     */
    Example(
            String name,
            String jar,
            String mainClass,
            int parallelism,
            int rescales,
            Input input,
            List<String> lines,
            Check check,
            String... arguments) {
        this.name = name;
        this.jar = jar;
        this.mainClass = mainClass;
        this.parallelism = parallelism;
        this.rescales = rescales;
        this.input = input;
        this.lines = lines;
        this.check = check;
        this.arguments = Arrays.asList(arguments);
    }

    String[] arguments(String file, int port, String output) {
        return arguments.stream()
                .map(
                        argument ->
                                argument.replace("INPUT", file)
                                        .replace("PORT", String.valueOf(port))
                                        .replace("OUTPUT", output))
                .toArray(String[]::new);
    }

    /** Whether results can be compared with those on a stock Flink. */
    boolean isDetermined() {
        return input != Input.OWN_AND_ENDLESS;
    }

    /** What must hold for the results. */
    interface Check {
        /** As in the third column of the table. */
        String inTable();

        /**
         * What is wrong; empty if nothing is.
         *
         * @param stock results on a stock Flink; empty if the example is not determined
         */
        List<String> differences(List<String> stock, List<String> rescaled);

        /** Whether so many results are enough to end an endless example. */
        boolean isEnough(int results);
    }

    @Override
    public String toString() {
        return name;
    }
}
