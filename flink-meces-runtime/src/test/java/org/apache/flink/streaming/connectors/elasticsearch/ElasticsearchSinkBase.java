// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.streaming.connectors.elasticsearch;

import java.util.concurrent.atomic.AtomicReference;

/** Stands for the connector's, with the members that a drain reaches for. */
public class ElasticsearchSinkBase {

    public final BulkProcessor bulkProcessor = new BulkProcessor();

    public final AtomicReference<Throwable> failureThrowable = new AtomicReference<>();

    /** Stands for that of Elasticsearch. */
    public static final class BulkProcessor {
        public int flushed;

        public void flush() {
            flushed++;
        }
    }
}
