// SPDX-License-Identifier: Apache-2.0
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
