/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
 * in compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License
 * is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
 * or implied. See the License for the specific language governing permissions and limitations under
 * the License.
 */

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
