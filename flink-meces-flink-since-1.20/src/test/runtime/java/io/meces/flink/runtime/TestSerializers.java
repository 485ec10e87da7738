// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import com.esotericsoftware.kryo.Serializer;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.apache.flink.api.common.ExecutionConfig;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.java.typeutils.runtime.kryo.KryoSerializer;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** Serializers of tests. */
public final class TestSerializers {

    private TestSerializers() {}

    public static <T> TypeSerializer<T> of(TypeInformation<T> type, ExecutionConfig config) {
        return type.createSerializer(config.getSerializerConfig());
    }

    /** With Kryo, in that order. */
    public static void register(StreamExecutionEnvironment environment, Class<?>... types) {
        environment.configure(
                new Configuration()
                        .set(
                                PipelineOptions.SERIALIZATION_CONFIG,
                                Arrays.stream(types)
                                        .map(type -> "{" + type.getName() + ": {type: kryo}}")
                                        .collect(Collectors.toList())));
    }

    /** Has Kryo use a serializer for a type. */
    public static <T extends Serializer<?>> void addDefault(
            ExecutionConfig config, Class<?> type, Class<T> serializer) {
        ((SerializerConfigImpl) config.getSerializerConfig())
                .addDefaultKryoSerializer(type, serializer);
    }

    public static <T> KryoSerializer<T> kryo(Class<T> type, ExecutionConfig config) {
        return new KryoSerializer<>(type, config.getSerializerConfig());
    }
}
