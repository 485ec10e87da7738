// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import com.esotericsoftware.kryo.Serializer;
import org.apache.flink.api.common.ExecutionConfig;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.java.typeutils.runtime.kryo.KryoSerializer;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** Serializers of tests. */
public final class TestSerializers {

    private TestSerializers() {}

    public static <T> TypeSerializer<T> of(TypeInformation<T> type, ExecutionConfig config) {
        return type.createSerializer(config);
    }

    /** With Kryo, in that order. */
    public static void register(StreamExecutionEnvironment environment, Class<?>... types) {
        for (Class<?> type : types) {
            environment.registerType(type);
        }
    }

    /** Has Kryo use a serializer for a type. */
    public static <T extends Serializer<?>> void addDefault(
            ExecutionConfig config, Class<?> type, Class<T> serializer) {
        config.addDefaultKryoSerializer(type, serializer);
    }

    public static <T> KryoSerializer<T> kryo(Class<T> type, ExecutionConfig config) {
        return new KryoSerializer<>(type, config);
    }
}
