// SPDX-License-Identifier: Apache-2.0
package io.meces.state.rocksdb;

import io.meces.flink.rocksdb.DelegatingRocksDBBackend;
import io.meces.flink.rocksdb.FlinkRocksDB;
import io.meces.flink.rocksdb.StoresCheckpoints;
import io.meces.flink.state.AccessMetrics;
import io.meces.flink.state.BackendEnvironment;
import io.meces.flink.state.KeyedBackendParameters;
import io.meces.state.ElasticEnvironment;
import io.meces.state.ElasticStateBackend;
import java.io.IOException;
import javax.annotation.Nullable;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.IllegalConfigurationException;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.contrib.streaming.state.RocksDBKeyedStateBackend;
import org.apache.flink.contrib.streaming.state.RocksDBOptions;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.ConfigurableStateBackend;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.StateBackend;

/**
 * Flink's RocksDB backend, with all of its options, whose key-groups can move between subtasks
 * while the job runs. A unit is a whole key-group.
 *
 * <p>Layout of keys, files, checkpoints and savepoints are Flink's. Timers of an elastic vertex are
 * on the heap; those of a checkpoint that has them in RocksDB are taken over.
 *
 * <p>Immutable and serializable.
 */
public class MecesRocksDBStateBackend extends DelegatingRocksDBBackend
        implements ConfigurableStateBackend, ElasticStateBackend {

    private static final long serialVersionUID = 1L;

    @Nullable private final String refusal;
    private final long leastFileBytes;

    /**
     * @param refusal why state cannot move, and the remedy; null if it can
     * @param leastFileBytes from how many bytes on rows that come become a file
     */
    protected MecesRocksDBStateBackend(
            FlinkRocksDB flinks, @Nullable String refusal, long leastFileBytes) {
        super(flinks);
        this.refusal = refusal;
        this.leastFileBytes = leastFileBytes;
    }

    /**
     * That of a configuration, not configured yet.
     *
     * @param job what comes before the cluster
     * @throws IllegalConfigurationException if a value is invalid, or what Flink needs is missing
     */
    static MecesRocksDBStateBackend of(ReadableConfig cluster, Configuration job) {
        return inPlaceOf(FlinkRocksDB.of(cluster, job), cluster);
    }

    /**
     * One with the options of another, whether that has been configured or not.
     *
     * @param other Flink's RocksDB backend
     * @throws IllegalConfigurationException if a value of the cluster is invalid
     */
    public static MecesRocksDBStateBackend inPlaceOf(StateBackend other, ReadableConfig cluster) {
        return inPlaceOf(FlinkRocksDB.of(other), cluster);
    }

    private static MecesRocksDBStateBackend inPlaceOf(FlinkRocksDB flinks, ReadableConfig cluster) {
        return of(
                flinks,
                flinks.wantsTimersInRocksDB(cluster)
                        ? "The job keeps timers in RocksDB, where they cannot be moved. Set "
                                + RocksDBOptions.TIMER_SERVICE_FACTORY.key()
                                + ": HEAP (or leave it out, and do not set it in the code of the"
                                + " job)."
                        : flinks.refusal(cluster),
                MecesRocksDBOptions.filesFrom(cluster));
    }

    private static MecesRocksDBStateBackend of(
            FlinkRocksDB flinks, @Nullable String refusal, long leastFileBytes) {
        return flinks.storesCheckpoints()
                ? new Storing(flinks, refusal, leastFileBytes)
                : new MecesRocksDBStateBackend(flinks, refusal, leastFileBytes);
    }

    @Override
    public int subGroups() {
        return 1;
    }

    @Override
    @Nullable
    public String refusal() {
        return refusal;
    }

    /**
     * A copy with the configured values for whatever was not set in code.
     *
     * @throws IllegalConfigurationException if a value is invalid
     */
    @Override
    public MecesRocksDBStateBackend configure(ReadableConfig config, ClassLoader classLoader) {
        return of(flinks.configure(config, classLoader), refusal, leastFileBytes);
    }

    /**
     * The backend for a task: if the environment is an {@link ElasticEnvironment}, one with all
     * key-groups of which it has some; otherwise Flink's own.
     *
     * @param parameters with state handles of Flink's RocksDB backend or this one; any number,
     *     their declared ranges may overlap
     */
    @Override
    protected <K> AbstractKeyedStateBackend<K> createKeyedStateBackend(
            KeyedBackendParameters<K> parameters) throws IOException {
        Environment env = parameters.environment();
        if (!(env instanceof ElasticEnvironment)) {
            return flinks.keyed(parameters);
        }
        boolean mayHoldMore =
                RestoredHandles.mayHoldMoreThan(
                        KeyGroupRange.of(0, parameters.numberOfKeyGroups() - 1),
                        parameters.stateHandles());
        RocksDBKeyedStateBackend<K> built = flinks.keyedForAll(parameters, ElasticDatabase::with);
        return MecesRocksDBKeyedStateBackend.adopt(
                // those of Flink are in what it has built
                BackendEnvironment.of(
                        parameters,
                        getCompressionDecorator(env.getExecutionConfig()),
                        AccessMetrics.none()),
                built,
                parameters.numberOfKeyGroups(),
                ((ElasticEnvironment) env).keyGroups(),
                mayHoldMore,
                PostponedCompactions.turnOf(
                        env.getTaskInfo().getTaskName(), env.getTaskInfo().getIndexOfThisSubtask()),
                leastFileBytes,
                parameters.metricGroup());
    }

    @Override
    public String toString() {
        return "MecesRocksDBStateBackend (" + flinks + ")";
    }

    /** One in place of a backend by which Flink also stores the checkpoints of the job. */
    private static final class Storing extends MecesRocksDBStateBackend
            implements StoresCheckpoints {

        private static final long serialVersionUID = 1L;

        Storing(FlinkRocksDB flinks, @Nullable String refusal, long leastFileBytes) {
            super(flinks, refusal, leastFileBytes);
        }

        @Override
        public FlinkRocksDB flinks() {
            return flinks;
        }
    }
}
