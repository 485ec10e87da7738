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

/** Flink's HBase sinks: has the buffer of mutations, which is thread-safe, written. */
final class HBaseDrain implements SinkDrain {

    private static final String SINK = "org.apache.flink.connector.hbase.sink.HBaseSinkFunction";

    @Override
    public boolean knows(Object sink) {
        return Hidden.superclass(sink, SINK) != null;
    }

    @Override
    public ThrowingRunnable<Exception> workToDrain(Object sink) {
        // not the sink's own flush: it resets a count of what comes meanwhile
        Object mutator = Hidden.get(sink, SINK, "mutator");
        return () -> {
            Hidden.flush(mutator);
            AtomicReference<?> failure =
                    (AtomicReference<?>) Hidden.get(sink, SINK, "failureThrowable");
            Hidden.rethrow(failure.get(), "Cannot write to HBase");
        };
    }
}
