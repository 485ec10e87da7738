// SPDX-License-Identifier: Apache-2.0
package io.meces.foreign;

import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.connector.source.AsyncTableFunctionProvider;
import org.apache.flink.table.connector.source.DynamicTableSource;
import org.apache.flink.table.connector.source.LookupTableSource;
import org.apache.flink.table.connector.source.ScanTableSource;
import org.apache.flink.table.connector.source.SourceFunctionProvider;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.factories.DynamicTableSourceFactory;
import org.apache.flink.table.factories.FactoryUtil;
import org.apache.flink.table.functions.AsyncTableFunction;
import org.apache.flink.table.functions.FunctionContext;
import org.apache.flink.types.RowKind;

/**
 * The connector "feed", for tables (k INT, v INT): a changelog of upserts and deletions by a {@link
 * FeedSource}, and one that is asked by key, which answers late.
 */
public final class FeedTables implements DynamicTableSourceFactory {

    private static final ConfigOption<String> FEED =
            ConfigOptions.key("feed").stringType().defaultValue("");

    /** A table of upserts, which a source of two subtasks brings. */
    static String upserts(Run run, String name) {
        run.feed.expect(Run.PARALLELISM);
        return "CREATE TABLE "
                + name
                + " (k INT, v INT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'feed', 'feed'"
                + " = '"
                + run.feed.name
                + "')";
    }

    /** A table that is looked up. */
    static String lookedUp(String name) {
        return "CREATE TABLE " + name + " (k INT, v INT) WITH ('connector' = 'feed')";
    }

    @Override
    public String factoryIdentifier() {
        return "feed";
    }

    @Override
    public Set<ConfigOption<?>> requiredOptions() {
        return Collections.emptySet();
    }

    @Override
    public Set<ConfigOption<?>> optionalOptions() {
        return new HashSet<>(Collections.singletonList(FEED));
    }

    @Override
    public DynamicTableSource createDynamicTableSource(Context context) {
        String feed = FactoryUtil.createTableFactoryHelper(this, context).getOptions().get(FEED);
        return feed.isEmpty() ? new Answers() : new Upserts(feed);
    }

    private static final class Upserts implements ScanTableSource {
        private final String feed;

        private Upserts(String feed) {
            this.feed = feed;
        }

        @Override
        public ChangelogMode getChangelogMode() {
            return ChangelogMode.newBuilder()
                    .addContainedKind(RowKind.UPDATE_AFTER)
                    .addContainedKind(RowKind.DELETE)
                    .build();
        }

        @Override
        public ScanRuntimeProvider getScanRuntimeProvider(ScanContext context) {
            return SourceFunctionProvider.of(
                    new FeedSource<>(feed, "upserts", new Changes(), Run.RECORDS, 0), false);
        }

        @Override
        public DynamicTableSource copy() {
            return new Upserts(feed);
        }

        @Override
        public String asSummaryString() {
            return "upserts";
        }
    }

    /** All changes of a key come from one subtask of two. */
    private static final class Changes implements FeedSource.Script<RowData> {
        private static final long serialVersionUID = 1L;
        private final Run.Events events = new Run.Events(5);

        @Override
        public RowData record(long number) {
            int key = 2 * events.record(number).f1 + (int) (number % Run.PARALLELISM);
            int value = events.record(number).f2;
            return GenericRowData.ofKind(
                    value % 4 == 0 ? RowKind.DELETE : RowKind.UPDATE_AFTER, key, value);
        }

        @Override
        public long timestamp(long number) {
            return number;
        }
    }

    private static final class Answers implements LookupTableSource {

        @Override
        public LookupRuntimeProvider getLookupRuntimeProvider(LookupContext context) {
            return AsyncTableFunctionProvider.of(new Server());
        }

        @Override
        public DynamicTableSource copy() {
            return new Answers();
        }

        @Override
        public String asSummaryString() {
            return "answers";
        }
    }

    /** Answers after up to 2 ms, in any order. */
    public static final class Server extends AsyncTableFunction<RowData> {
        private static final long serialVersionUID = 1L;
        private transient ScheduledExecutorService threads;

        @Override
        public void open(FunctionContext context) {
            threads = Executors.newScheduledThreadPool(1);
        }

        @Override
        public void close() {
            if (threads != null) {
                threads.shutdownNow();
            }
        }

        public void eval(CompletableFuture<Collection<RowData>> answer, Integer key) {
            threads.schedule(
                    () ->
                            answer.complete(
                                    key % 5 == 0
                                            ? Collections.emptyList()
                                            : Collections.singletonList(
                                                    GenericRowData.of(key, 100 * key))),
                    System.nanoTime() % 2_000,
                    TimeUnit.MICROSECONDS);
        }
    }
}
