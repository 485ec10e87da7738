// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.state;

import com.esotericsoftware.kryo.Serializer;
import java.lang.reflect.Field;
import java.util.Collection;
import java.util.Collections;
import java.util.Set;
import org.apache.flink.api.common.ExecutionConfig;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.java.typeutils.runtime.PojoSerializer;
import org.apache.flink.api.java.typeutils.runtime.kryo.KryoSerializer;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.AbstractStateBackend;
import org.apache.flink.runtime.state.CheckpointStorageAccess;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyedStateBackendParametersImpl;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.OperatorStateBackend;
import org.apache.flink.runtime.state.OperatorStateBackendParametersImpl;
import org.apache.flink.runtime.state.heap.HeapKeyedStateBackend;
import org.apache.flink.runtime.state.ttl.TtlTimeProvider;

/** What tests do with backends otherwise in each line of Flink. */
public final class TestBackends {

    private TestBackends() {}

    /** Samples of {@code LossyValues} that it keeps, or cannot read, so that a job fails. */
    public static Set<String> notChangedByKryo() {
        return BackendsOfLine.notChangedByKryo();
    }

    /** Flink's own backend on the heap. */
    public static <K> HeapKeyedStateBackend<K> heap(
            TypeSerializer<K> keySerializer,
            int numberOfKeyGroups,
            KeyGroupRange range,
            TtlTimeProvider time,
            Collection<KeyedStateHandle> handles)
            throws Exception {
        return BackendsOfLine.of(keySerializer, numberOfKeyGroups, range, time, handles).build();
    }

    /** The keyed backend of the operator "op", made as by Flink. */
    public static <K> AbstractKeyedStateBackend<K> keyed(
            AbstractStateBackend backend,
            Environment environment,
            TypeSerializer<K> keySerializer,
            int numberOfKeyGroups,
            KeyGroupRange range,
            Collection<KeyedStateHandle> handles)
            throws Exception {
        return backend.createKeyedStateBackend(
                new KeyedStateBackendParametersImpl<>(
                        environment,
                        new JobID(),
                        "op",
                        keySerializer,
                        numberOfKeyGroups,
                        range,
                        null,
                        TtlTimeProvider.DEFAULT,
                        new UnregisteredMetricsGroup(),
                        handles,
                        new CloseableRegistry()));
    }

    /** The operator backend of the operator "op", without state. */
    public static OperatorStateBackend operator(
            AbstractStateBackend backend, Environment environment) throws Exception {
        return backend.createOperatorStateBackend(
                new OperatorStateBackendParametersImpl(
                        environment, "op", Collections.emptyList(), new CloseableRegistry()));
    }

    public static void initialize(CheckpointStorageAccess storage) throws Exception {
        storage.initializeBaseLocationsForCheckpoint();
    }

    public static <T> PojoSerializer<T> pojoSerializer(
            Class<T> type, TypeSerializer<?>[] serializers, Field[] fields) {
        return new PojoSerializer<>(type, serializers, fields, new SerializerConfigImpl());
    }

    public static <T> TypeSerializer<T> serializer(
            TypeInformation<T> type, ExecutionConfig config) {
        return type.createSerializer(config.getSerializerConfig());
    }

    public static <T> KryoSerializer<T> kryo(Class<T> type, ExecutionConfig config) {
        return new KryoSerializer<>(type, config.getSerializerConfig());
    }

    /** Has Kryo use a serializer for a type. */
    public static <T extends Serializer<?>> void addKryoSerializer(
            ExecutionConfig config, Class<?> type, Class<T> serializer) {
        ((SerializerConfigImpl) config.getSerializerConfig())
                .addDefaultKryoSerializer(type, serializer);
    }

    /** Whether a backend of a job says as well where its checkpoints go. */
    public static boolean haveStorage() {
        return BackendsOfLine.haveStorage();
    }

    /** Whether state outside the range of an ordinary task is refused. It is left out instead. */
    public static boolean refuseStateOfOthers() {
        return false;
    }

    /**
     * Whether two serializers of the same keys are alike, whatever they have seen. A new one is
     * reconfigured by the snapshot of one that has seen a subclass.
     */
    public static boolean takeKeysOfUnregisteredSubclasses() {
        return false;
    }
}
