// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.meces.api.RescaleCause;
import io.meces.core.id.VertexId;
import io.meces.core.job.StoredElasticity;
import io.meces.core.plan.Assignment;
import io.meces.flink.runtime.TestGraphs;
import io.meces.state.MecesStateBackend;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.checkpoint.CheckpointIDCounter;
import org.apache.flink.runtime.checkpoint.CheckpointProperties;
import org.apache.flink.runtime.checkpoint.CheckpointRecoveryFactory;
import org.apache.flink.runtime.checkpoint.CheckpointRetentionPolicy;
import org.apache.flink.runtime.checkpoint.Checkpoints;
import org.apache.flink.runtime.checkpoint.CheckpointsCleaner;
import org.apache.flink.runtime.checkpoint.CompletedCheckpoint;
import org.apache.flink.runtime.checkpoint.CompletedCheckpointStore;
import org.apache.flink.runtime.checkpoint.EmbeddedCompletedCheckpointStore;
import org.apache.flink.runtime.checkpoint.MasterState;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.StandaloneCheckpointIDCounter;
import org.apache.flink.runtime.checkpoint.StateObjectCollection;
import org.apache.flink.runtime.checkpoint.channel.InputChannelInfo;
import org.apache.flink.runtime.checkpoint.metadata.CheckpointMetadata;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobgraph.JobVertexID;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.jobgraph.SavepointRestoreSettings;
import org.apache.flink.runtime.state.InputChannelStateHandle;
import org.apache.flink.runtime.state.memory.ByteStreamStateHandle;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.DiscardingSink;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a job will be restored from, before Flink restores it. */
class RestoredCheckpointTest {

    private static final OperatorID OPERATOR = new OperatorID(1, 2);

    @TempDir private Path directory;

    private final MecesStateBackend backend = new MecesStateBackend();
    private final JobGraph job = job();
    private final EmbeddedCompletedCheckpointStore store = new EmbeddedCompletedCheckpointStore();
    private final Stores stores = new Stores();
    private final RestoredCheckpoint restored =
            new RestoredCheckpoint(
                    job, new Configuration(), stores, getClass().getClassLoader(), Runnable::run);

    private static JobGraph job() {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.fromSequence(1, 10).addSink(new DiscardingSink<>());
        return TestGraphs.of(env, "job");
    }

    /** Of the jobs of a highly available cluster, of which there is one. */
    private final class Stores implements CheckpointRecoveryFactory {
        int opened;

        @Override
        public CompletedCheckpointStore createCheckpointStore(
                JobID id, int retained, ClassLoader userCode) {
            assertThat(id).isEqualTo(job.getJobID());
            assertThat(retained)
                    .isEqualTo(CheckpointingOptions.MAX_RETAINED_CHECKPOINTS.defaultValue());
            opened++;
            return store;
        }

        @Override
        public CheckpointIDCounter createCheckpointIDCounter(JobID id) {
            return new StandaloneCheckpointIDCounter();
        }
    }

    private static OperatorState state(int maxParallelism) {
        return new OperatorState(OPERATOR, 2, maxParallelism);
    }

    private Path writeSavepoint(int maxParallelism) throws IOException {
        Path savepoint = Files.createDirectory(directory.resolve("savepoint"));
        try (DataOutputStream out =
                new DataOutputStream(Files.newOutputStream(savepoint.resolve("_metadata")))) {
            Checkpoints.storeCheckpointMetadata(
                    new CheckpointMetadata(
                            1,
                            Collections.singletonList(state(maxParallelism)),
                            Collections.emptyList()),
                    out);
        }
        job.setSavepointRestoreSettings(
                SavepointRestoreSettings.forPath(savepoint.toUri().toString()));
        return savepoint;
    }

    /** As an earlier JobManager has left it: nothing is there before it is recovered. */
    private void storeCheckpoint(int maxParallelism) throws Exception {
        storeCheckpoint(maxParallelism, Collections.emptyList());
    }

    private void storeCheckpoint(int maxParallelism, List<MasterState> ofHooks) throws Exception {
        storeCheckpoint(state(maxParallelism), ofHooks);
    }

    private void storeCheckpoint(OperatorState state, List<MasterState> ofHooks) throws Exception {
        Path elsewhere = Files.createDirectory(directory.resolve("checkpoint"));
        Files.createFile(elsewhere.resolve("_metadata"));
        store.addCheckpoint(
                new CompletedCheckpoint(
                        job.getJobID(),
                        7,
                        0,
                        1,
                        Collections.singletonMap(OPERATOR, state),
                        ofHooks,
                        CheckpointProperties.forCheckpoint(
                                CheckpointRetentionPolicy.NEVER_RETAIN_AFTER_TERMINATION),
                        backend.resolveCheckpoint(elsewhere.toUri().toString())),
                new CheckpointsCleaner(),
                () -> {});
        store.shutdown(JobStatus.SUSPENDED, new CheckpointsCleaner(), () -> {});
    }

    private CompletedCheckpointStore openedByFlink() throws Exception {
        return restored.createCheckpointStore(
                job.getJobID(), 1, Thread.currentThread().getContextClassLoader());
    }

    @Test
    void readsTheSavepoint() throws Exception {
        writeSavepoint(256);
        assertThat(restored.maxParallelisms(backend))
                .isEqualTo(Collections.singletonMap(OPERATOR, 256));
    }

    @Test
    void theJobsOwnCheckpointComesBeforeTheSavepointItWasStartedWith() throws Exception {
        Path savepoint = writeSavepoint(512);
        storeCheckpoint(256);
        Files.delete(savepoint.resolve("_metadata"));
        assertThat(restored.maxParallelisms(backend))
                .isEqualTo(Collections.singletonMap(OPERATOR, 256));
    }

    @Test
    void recordsInFlightAreSeenInTheNewestCheckpointOfTheJob() throws Exception {
        assertThat(restored.hasRecordsInFlight()).isFalse();
        OperatorState unaligned = state(256);
        unaligned.putState(
                1,
                OperatorSubtaskState.builder()
                        .setInputChannelState(
                                StateObjectCollection.singleton(
                                        new InputChannelStateHandle(
                                                new InputChannelInfo(0, 0),
                                                new ByteStreamStateHandle("flight", new byte[8]),
                                                Collections.singletonList(0L))))
                        .build());
        storeCheckpoint(unaligned, Collections.emptyList());
        RestoredCheckpoint later =
                new RestoredCheckpoint(
                        job,
                        new Configuration(),
                        stores,
                        getClass().getClassLoader(),
                        Runnable::run);
        assertThat(later.hasRecordsInFlight()).isTrue();
    }

    @Test
    void aCheckpointWithoutRecordsInFlightIsNone() throws Exception {
        storeCheckpoint(256);
        assertThat(restored.hasRecordsInFlight()).isFalse();
    }

    @Test
    void flinkGetsTheStoreThatHasBeenOpened() throws Exception {
        writeSavepoint(256);
        restored.maxParallelisms(backend);
        assertThat(openedByFlink()).isSameAs(store);
        assertThat(stores.opened).isEqualTo(1);
        openedByFlink();
        assertThat(stores.opened).isEqualTo(2);
    }

    @Test
    void aSavepointThatCannotBeReadIsLeftToFlink() throws Exception {
        Files.delete(writeSavepoint(256).resolve("_metadata"));
        assertThat(restored.maxParallelisms(backend)).isEmpty();
    }

    @Test
    void checkpointsThatCannotBeReadAreAnError() throws Exception {
        writeSavepoint(256);
        RestoredCheckpoint broken =
                new RestoredCheckpoint(
                        job,
                        new Configuration(),
                        new CheckpointRecoveryFactory() {
                            @Override
                            public CompletedCheckpointStore createCheckpointStore(
                                    JobID id, int retained, ClassLoader userCode) throws Exception {
                                throw new IOException("no ZooKeeper");
                            }

                            @Override
                            public CheckpointIDCounter createCheckpointIDCounter(JobID id) {
                                return new StandaloneCheckpointIDCounter();
                            }
                        },
                        getClass().getClassLoader(),
                        Runnable::run);
        assertThatThrownBy(() -> broken.maxParallelisms(backend)).hasMessage("no ZooKeeper");
    }

    @Test
    void opensNothingForAJobThatWasNotStartedWithASavepoint() throws Exception {
        assertThat(restored.maxParallelisms(backend)).isEmpty();
        assertThat(stores.opened).isZero();
    }

    @Test
    void tellsTheLargestParallelismThatAnEarlierJobManagerHasLeftOrWasGoingTo() throws Exception {
        StoredElasticity stored =
                new StoredElasticity(
                        Arrays.asList(place(1, 40), place(2, 3)),
                        new StoredElasticity.Rescale(
                                UUID.randomUUID(),
                                RescaleCause.USER,
                                0,
                                16,
                                1,
                                Collections.singletonList(
                                        new StoredElasticity.Target(place(2, 3), place(2, 50)))));
        StoredElasticitySerializer serializer = new StoredElasticitySerializer();
        storeCheckpoint(
                128,
                Collections.singletonList(
                        new MasterState(
                                new CheckpointGate(null).getIdentifier(),
                                serializer.serialize(stored),
                                serializer.getVersion())));

        Map<JobVertexID, Integer> expected = new HashMap<>();
        expected.put(new JobVertexID(1, 0), 40);
        expected.put(new JobVertexID(2, 0), 50);
        assertThat(restored.parallelisms()).isEqualTo(expected);
        assertThat(openedByFlink()).isSameAs(store);
        assertThat(stores.opened).isEqualTo(1);
    }

    private static StoredElasticity.Vertex place(long id, int parallelism) {
        return new StoredElasticity.Vertex(
                new VertexId(id, 0), parallelism, Assignment.contiguous(128, parallelism));
    }

    @Test
    void aJobThatStandsAsItsCodeHasItIsNotBound() throws Exception {
        assertThat(restored.parallelisms()).isEmpty();
        storeCheckpoint(128);
        assertThat(restored.parallelisms()).isEmpty();
    }

    @Test
    void aSavepointDoesNotBindWhoStartsFromIt() throws Exception {
        writeSavepoint(256);
        assertThat(restored.parallelisms()).isEmpty();
    }
}
