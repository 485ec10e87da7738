// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentMap;
import org.apache.flink.streaming.api.functions.sink.SinkFunction;

/** Collects lines of text by the name of the ledger. */
final class TextSink implements SinkFunction<String> {
    private static final long serialVersionUID = 1L;
    private static final ConcurrentMap<String, ConcurrentLinkedQueue<String>> LINES =
            new ConcurrentHashMap<>();

    private final String name;

    TextSink(String name) {
        this.name = name;
        LINES.putIfAbsent(name, new ConcurrentLinkedQueue<>());
    }

    @Override
    public void invoke(String line, Context context) {
        LINES.get(name).add(line);
    }

    static List<String> sorted(String name) {
        List<String> sorted = new ArrayList<>(LINES.get(name));
        Collections.sort(sorted);
        return sorted;
    }
}
