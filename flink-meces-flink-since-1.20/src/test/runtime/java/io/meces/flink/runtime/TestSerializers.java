// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import org.apache.flink.api.common.ExecutionConfig;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.java.typeutils.runtime.kryo.KryoSerializer;

/** Serializers of tests. */
public final class TestSerializers {

    private TestSerializers() {}

    public static <T> TypeSerializer<T> of(TypeInformation<T> type, ExecutionConfig config) {
        return type.createSerializer(config.getSerializerConfig());
    }

    public static <T> KryoSerializer<T> kryo(Class<T> type, ExecutionConfig config) {
        return new KryoSerializer<>(type, config.getSerializerConfig());
    }
}
