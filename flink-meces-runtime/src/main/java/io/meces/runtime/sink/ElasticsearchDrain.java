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

package io.meces.runtime.sink;

import java.util.concurrent.atomic.AtomicReference;
import org.apache.flink.util.function.ThrowingRunnable;

/**
 * Flink's Elasticsearch sinks: sends the bulk request.
 *
 * <p>The sink has its bulk processor send one request at a time, in the thread that adds or
 * flushes, under a lock where that is a timer. So whoever flushes has also awaited a request that
 * was on its way.
 */
final class ElasticsearchDrain implements SinkDrain {

    private static final String SINK =
            "org.apache.flink.streaming.connectors.elasticsearch.ElasticsearchSinkBase";

    @Override
    public boolean knows(Object sink) {
        return Hidden.superclass(sink, SINK) != null;
    }

    @Override
    public ThrowingRunnable<Exception> workToDrain(Object sink) {
        Object bulk = Hidden.get(sink, SINK, "bulkProcessor");
        return () -> {
            Hidden.flush(bulk);
            AtomicReference<?> failure =
                    (AtomicReference<?>) Hidden.get(sink, SINK, "failureThrowable");
            Hidden.rethrow(failure.get(), "Cannot send requests to Elasticsearch");
        };
    }
}
