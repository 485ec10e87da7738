// SPDX-License-Identifier: Apache-2.0
package io.meces.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.meces.flink.state.TestBackends;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.BitSet;
import java.util.concurrent.RunnableFuture;
import javax.annotation.Nullable;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.IllegalConfigurationException;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.runtime.operators.testutils.MockEnvironment;
import org.apache.flink.runtime.operators.testutils.MockEnvironmentBuilder;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.AbstractStateBackend;
import org.apache.flink.runtime.state.BackendBuildingException;
import org.apache.flink.runtime.state.CheckpointMetadataOutputStream;
import org.apache.flink.runtime.state.CheckpointStorageAccess;
import org.apache.flink.runtime.state.CheckpointStorageLocation;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.OperatorStateBackend;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.StateBackendLoader;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.filesystem.FsCheckpointStorageAccess;
import org.apache.flink.runtime.state.filesystem.FsStateBackend;
import org.apache.flink.runtime.state.heap.HeapKeyedStateBackend;
import org.apache.flink.runtime.state.memory.MemoryBackendCheckpointStorageAccess;
import org.apache.flink.runtime.state.memory.MemoryStateBackend;
import org.apache.flink.util.InstantiationUtil;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MecesStateBackendTest {

    private static final ClassLoader CLASS_LOADER = MecesStateBackendTest.class.getClassLoader();

    @TempDir Path directory;
    private MockEnvironment environment;

    @BeforeEach
    void createEnvironment() {
        environment = new MockEnvironmentBuilder().build();
    }

    @AfterEach
    void closeEnvironment() throws Exception {
        environment.close();
    }

    // options

    @Test
    void isLoadedByTheNameOfItsFactory() throws Exception {
        Configuration config = new Configuration();
        config.setString("state.backend", "io.meces.state.MecesStateBackendFactory");
        config.setString("meces.state.sub-groups", "64");

        StateBackend backend =
                StateBackendLoader.loadStateBackendFromConfig(config, CLASS_LOADER, null);

        assertThat(backend).isInstanceOf(MecesStateBackend.class);
        assertThat(((MecesStateBackend) backend).subGroups()).isEqualTo(64);
    }

    @Test
    void hasSixteenSubGroupsUnlessConfigured() throws Exception {
        assertThat(new MecesStateBackend().subGroups()).isEqualTo(16);
        assertThat(configured(new Configuration()).subGroups()).isEqualTo(16);
    }

    @Test
    void aValueInCodeBeatsTheConfiguration() {
        Configuration config = new Configuration();
        config.set(MecesStateOptions.SUB_GROUPS, 64);

        assertThat(new MecesStateBackend().withSubGroups(3).configure(config, null).subGroups())
                .isEqualTo(3);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 32768})
    void acceptsTheBoundsOfTheRange(int subGroups) {
        assertThat(new MecesStateBackend().withSubGroups(subGroups).subGroups())
                .isEqualTo(subGroups);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "-1", "32769", "many", "1.5"})
    void refusesABadNumberOfSubGroups(String value) {
        Configuration config = new Configuration();
        config.setString("meces.state.sub-groups", value);

        assertThatThrownBy(() -> configured(config))
                .isInstanceOf(IllegalConfigurationException.class)
                .hasMessageContaining("meces.state.sub-groups")
                .hasMessageContaining("1..32768");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, 32769})
    void refusesABadNumberOfSubGroupsInCode(int value) {
        assertThatThrownBy(() -> new MecesStateBackend().withSubGroups(value))
                .isInstanceOf(IllegalConfigurationException.class)
                .hasMessageContaining("meces.state.sub-groups")
                .hasMessageContaining("1..32768");
    }

    // checkpoint storage

    @Test
    void withoutADirectoryCheckpointsStayInMemory() throws Exception {
        CheckpointStorageAccess storage =
                configured(new Configuration()).createCheckpointStorage(new JobID());

        assertThat(storage).isInstanceOf(MemoryBackendCheckpointStorageAccess.class);
    }

    @Test
    void withAConfiguredDirectoryCheckpointsGoThere() throws Exception {
        Configuration config = new Configuration();
        config.set(CheckpointingOptions.CHECKPOINTS_DIRECTORY, uri("c").toString());
        config.set(CheckpointingOptions.SAVEPOINT_DIRECTORY, uri("s").toString());
        config.set(CheckpointingOptions.FS_SMALL_FILE_THRESHOLD, MemorySize.parse("7b"));

        MecesStateBackend backend = configured(config);

        FsCheckpointStorageAccess storage =
                (FsCheckpointStorageAccess) backend.createCheckpointStorage(new JobID());
        if (TestBackends.haveStorage()) {
            assertThat(backend).asString().contains("fileStateThreshold: 7");
        }
        assertThat(backend.checkpointPath().toUri()).hasPath(uri("c").getPath());
        assertThat(backend.savepointPath().toUri()).hasPath(uri("s").getPath());
        assertThat(storage.hasDefaultSavepointLocation()).isTrue();
    }

    @Test
    void aDirectoryInCodeBeatsTheConfiguration() throws Exception {
        Configuration config = new Configuration();
        config.set(CheckpointingOptions.CHECKPOINTS_DIRECTORY, uri("c").toString());

        MecesStateBackend backend =
                new MecesStateBackend(uri("mine"), null).configure(config, CLASS_LOADER);

        assertThat(backend.checkpointPath().toUri()).hasPath(uri("mine").getPath());
        assertThat(new MecesStateBackend(uri("mine").toString()).checkpointPath())
                .isEqualTo(backend.checkpointPath());
    }

    @Test
    void refusesADirectoryWithoutScheme() {
        Configuration config = new Configuration();
        config.set(CheckpointingOptions.CHECKPOINTS_DIRECTORY, "checkpoints");

        assertThatThrownBy(() -> configured(config))
                .isInstanceOf(IllegalConfigurationException.class)
                .hasMessageContaining(CheckpointingOptions.CHECKPOINTS_DIRECTORY.key());
    }

    @Test
    void isSerializable() throws Exception {
        MecesStateBackend backend = new MecesStateBackend(uri("c"), uri("s")).withSubGroups(5);

        MecesStateBackend copy = InstantiationUtil.clone(backend);

        assertThat(copy.subGroups()).isEqualTo(5);
        assertThat(copy.checkpointPath()).isEqualTo(backend.checkpointPath());
        assertThat(copy).hasToString(backend.toString());
    }

    // backends

    @Test
    void anOrdinaryTaskGetsItsRangeAndTheConfiguredSubGroups() throws Exception {
        MecesKeyedStateBackend<String> backend =
                keyed(new MecesStateBackend().withSubGroups(5), environment, range(2, 3));

        assertThat(backend.getKeyGroupRange()).isEqualTo(range(2, 3));
        assertThat(backend.units().subGroups()).isEqualTo(5);
    }

    @Test
    void anElasticTaskGetsAllKeyGroupsAndTheJobsSubGroups() throws Exception {
        MecesKeyedStateBackend<String> backend =
                keyed(new MecesStateBackend().withSubGroups(5), elastic(9), range(2, 3));

        assertThat(backend.getKeyGroupRange()).isEqualTo(Backends.ALL);
        assertThat(backend.units().subGroups()).isEqualTo(9);
        States.fill(backend, "any", "n", 1);
        assertThat(States.read(backend, "any", "n")).isEqualTo(States.filled(1));
    }

    @Test
    void anElasticTaskRestoresHandlesOfOtherRanges() throws Exception {
        FsStateBackend stock = new FsStateBackend(uri("c"));
        MecesStateBackend meces = new MecesStateBackend(uri("c"), null);
        CheckpointStreamFactory streams = streams(meces);
        AbstractKeyedStateBackend<String> low = keyed(stock, environment, range(0, 3));
        AbstractKeyedStateBackend<String> high = keyed(meces, elastic(16), range(4, 7));
        for (int i = 0; i < 100; i++) {
            String key = "k" + i;
            HeapKeyedStateBackend<String> owner =
                    (HeapKeyedStateBackend<String>) (Backends.keyGroup(key) <= 3 ? low : high);
            States.fill(owner, key, "n", i);
        }

        MecesKeyedStateBackend<String> restored =
                keyed(
                        meces,
                        elastic(2),
                        range(0, 0),
                        snapshot(low, streams),
                        snapshot(high, streams));

        for (int i = 0; i < 100; i++) {
            assertThat(States.read(restored, "k" + i, "n")).isEqualTo(States.filled(i));
        }
    }

    @Test
    void aSnapshotInFilesIsReadByFsStateBackend() throws Exception {
        MecesStateBackend meces = new MecesStateBackend(uri("c"), null);
        MecesKeyedStateBackend<String> backend = keyed(meces, environment, Backends.ALL);
        for (int i = 0; i < 5000; i++) {
            States.fill(backend, "k" + i, "n", i);
        }
        KeyedStateHandle handle = snapshot(backend, streams(meces));

        HeapKeyedStateBackend<String> restored =
                (HeapKeyedStateBackend<String>)
                        keyed(new FsStateBackend(uri("c")), environment, Backends.ALL, handle);

        assertThat(directory.resolve("c").toFile().list()).isNotEmpty();
        assertThat(restored.numKeyValueStateEntries()).isEqualTo(25_000);
        assertThat(States.read(restored, "k4999", "n")).isEqualTo(States.filled(4999));
    }

    @Test
    void aCompressedSnapshotIsReadByFsStateBackend() throws Exception {
        environment.getExecutionConfig().setUseSnapshotCompression(true);
        MecesStateBackend meces = new MecesStateBackend();
        MecesKeyedStateBackend<String> backend = keyed(meces, environment, Backends.ALL);
        for (int i = 0; i < 100; i++) {
            States.fill(backend, "k" + i, "n", i);
        }
        KeyedStateHandle handle = snapshot(backend, streams(meces));

        HeapKeyedStateBackend<String> restored =
                (HeapKeyedStateBackend<String>)
                        keyed(new FsStateBackend(uri("c")), environment, Backends.ALL, handle);

        assertThat(States.read(restored, "k99", "n")).isEqualTo(States.filled(99));
    }

    @Test
    void stateOutsideTheRangeOfAnOrdinaryTaskIsRefused() throws Exception {
        assumeTrue(TestBackends.refuseStateOfOthers());
        MecesStateBackend meces = new MecesStateBackend();
        MecesKeyedStateBackend<String> backend = keyed(meces, environment, Backends.ALL);
        States.fill(backend, "a", "n", 1);
        KeyedStateHandle handle = snapshot(backend, streams(meces));

        assertThatThrownBy(() -> keyed(meces, environment, range(2, 3), handle))
                .isInstanceOf(BackendBuildingException.class)
                .hasMessageContaining("op");
    }

    @Test
    void operatorStateIsFlinks() throws Exception {
        OperatorStateBackend backend = TestBackends.operator(new MecesStateBackend(), environment);
        ListStateDescriptor<Long> descriptor =
                new ListStateDescriptor<>("offsets", LongSerializer.INSTANCE);
        backend.getListState(descriptor).add(1L);

        assertThat(backend.getListState(descriptor).get()).containsExactly(1L);
    }

    @Test
    void resolvesASavepointByItsPointer() throws Exception {
        MecesStateBackend backend = new MecesStateBackend(uri("c"), null);
        CheckpointStorageAccess storage = backend.createCheckpointStorage(new JobID());
        TestBackends.initialize(storage);
        CheckpointStorageLocation location = storage.initializeLocationForCheckpoint(1);
        CheckpointMetadataOutputStream out = location.createMetadataOutputStream();
        out.write(42);
        String pointer = out.closeAndFinalizeCheckpoint().getExternalPointer();

        StreamStateHandle metadata = backend.resolveCheckpoint(pointer).getMetadataHandle();

        assertThat(metadata.getStateSize()).isEqualTo(1);
    }

    private MecesStateBackend configured(Configuration config) {
        return new MecesStateBackendFactory().createFromConfig(config, CLASS_LOADER);
    }

    private URI uri(String name) {
        return directory.resolve(name).toUri();
    }

    private static KeyGroupRange range(int first, int last) {
        return KeyGroupRange.of(first, last);
    }

    /** The environment of a subtask of an elastic job. */
    private Environment elastic(int subGroups) {
        return (Environment)
                Proxy.newProxyInstance(
                        CLASS_LOADER,
                        new Class<?>[] {Environment.class, ElasticEnvironment.class},
                        (proxy, method, args) -> {
                            if (method.getDeclaringClass() == ElasticEnvironment.class) {
                                return method.getName().equals("keyGroups")
                                        ? BitSet.valueOf(new long[] {255})
                                        : subGroups;
                            }
                            try {
                                return method.invoke(environment, args);
                            } catch (InvocationTargetException e) {
                                throw e.getCause();
                            }
                        });
    }

    private static MecesKeyedStateBackend<String> keyed(
            MecesStateBackend backend,
            Environment env,
            KeyGroupRange range,
            KeyedStateHandle... handles)
            throws Exception {
        return (MecesKeyedStateBackend<String>)
                keyed((AbstractStateBackend) backend, env, range, handles);
    }

    private static AbstractKeyedStateBackend<String> keyed(
            AbstractStateBackend backend,
            Environment env,
            KeyGroupRange range,
            KeyedStateHandle... handles)
            throws Exception {
        return TestBackends.keyed(
                backend,
                env,
                StringSerializer.INSTANCE,
                Backends.KEY_GROUPS,
                range,
                Arrays.asList(handles));
    }

    private static CheckpointStreamFactory streams(MecesStateBackend backend) throws Exception {
        CheckpointStorageAccess storage = backend.createCheckpointStorage(new JobID());
        TestBackends.initialize(storage);
        CheckpointStorageLocation location = storage.initializeLocationForCheckpoint(1);
        return location;
    }

    private static KeyedStateHandle snapshot(
            AbstractKeyedStateBackend<String> backend, CheckpointStreamFactory streams)
            throws Exception {
        RunnableFuture<SnapshotResult<KeyedStateHandle>> snapshot =
                backend.snapshot(
                        1L, 1L, streams, CheckpointOptions.forCheckpointWithDefaultLocation());
        snapshot.run();
        return snapshot.get().getJobManagerOwnedSnapshot();
    }

    @Test
    void takesThePlaceOfAHeapBackendWithItsStorage() {
        assumeTrue(TestBackends.haveStorage());
        Configuration config = new Configuration();
        config.set(CheckpointingOptions.CHECKPOINTS_DIRECTORY, "file:///configured");

        assertThat(inPlaceOf(new FsStateBackend("file:///of-the-job"), config).checkpointPath())
                .hasToString("file:/of-the-job");

        assertThat(inPlaceOf(new MemoryStateBackend(1_000), config).toString())
                .contains("MemoryStateBackend (")
                .contains("maxStateSize: 1000");

        assertThat(inPlaceOf(new MecesStateBackend(), config)).isNull();
    }

    @Nullable
    private static MecesStateBackend inPlaceOf(StateBackend other, Configuration config) {
        return (MecesStateBackend) MecesStateBackend.inPlaceOf(other, config, CLASS_LOADER);
    }
}
