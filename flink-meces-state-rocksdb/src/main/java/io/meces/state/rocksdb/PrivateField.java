// SPDX-License-Identifier: Apache-2.0
package io.meces.state.rocksdb;

import java.lang.reflect.Field;
import org.apache.flink.util.FlinkRuntimeException;

/** What Flink keeps private. Has no state. */
public final class PrivateField {

    private PrivateField() {}

    /**
     * The value of a field.
     *
     * @param type whose field it is
     * @throws FlinkRuntimeException naming the field, if there is none
     */
    @SuppressWarnings("unchecked")
    public static <T> T of(Class<?> type, Object object, String name) {
        try {
            Field field = type.getDeclaredField(name);
            field.setAccessible(true);
            return (T) field.get(object);
        } catch (ReflectiveOperationException e) {
            throw new FlinkRuntimeException("Cannot read " + type.getName() + "." + name, e);
        }
    }
}
