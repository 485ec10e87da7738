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

package org.apache.flink.connector.hbase.sink;

import java.util.concurrent.atomic.AtomicReference;

/** Stands for the connector's, with the members that a drain reaches for. */
public class HBaseSinkFunction {

    public final Mutator mutator = new Mutator();

    public final AtomicReference<Throwable> failureThrowable = new AtomicReference<>();

    /** Stands for HBase's BufferedMutator. */
    public static final class Mutator {
        public int flushed;

        public void flush() {
            flushed++;
        }
    }
}
