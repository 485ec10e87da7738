// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.sink;

import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import javax.annotation.Nullable;
import org.apache.flink.util.ExceptionUtils;
import org.apache.flink.util.FlinkException;
import org.apache.flink.util.FlinkRuntimeException;

/**
 * Reaches members of connectors. They are in the jar of the job, in versions of its own, so they
 * are known by name only, and asked for in the class of the very object.
 */
public final class ConnectorReflection {

    private ConnectorReflection() {}

    /** The class or superclass of that name; null if the object has none. */
    @Nullable
    public static Class<?> superclass(@Nullable Object object, String name) {
        for (Class<?> type = object == null ? null : object.getClass();
                type != null;
                type = type.getSuperclass()) {
            if (type.getName().equals(name)) {
                return type;
            }
        }
        return null;
    }

    /** The value of a field that is declared in a class or superclass of that name. */
    public static Object get(Object object, String declaring, String name) {
        try {
            Field field = superclass(object, declaring).getDeclaredField(name);
            field.setAccessible(true);
            return field.get(object);
        } catch (ReflectiveOperationException e) {
            throw new FlinkRuntimeException("Cannot read " + declaring + "." + name, e);
        }
    }

    /** Calls a method without parameters that is declared in a class or superclass of that name. */
    static Object call(Object object, String declaring, String name) throws Exception {
        try {
            return call(object, superclass(object, declaring).getDeclaredMethod(name));
        } catch (NoSuchMethodException e) {
            throw new FlinkRuntimeException("Cannot call " + declaring + "." + name, e);
        }
    }

    /** Calls a public method without parameters. */
    public static Object callPublic(Object object, String name) throws Exception {
        return call(object, object.getClass().getMethod(name));
    }

    /** Calls the public {@code flush()} of an object. */
    static void flush(Object object) throws Exception {
        callPublic(object, "flush");
    }

    private static Object call(Object object, Method method) throws Exception {
        method.setAccessible(true);
        try {
            return method.invoke(object);
        } catch (InvocationTargetException e) {
            ExceptionUtils.rethrowException(e.getCause());
            throw e;
        }
    }

    /**
     * @param failure what went wrong in another thread, or null
     */
    static void rethrow(@Nullable Object failure, String message) throws FlinkException {
        if (failure != null) {
            throw new FlinkException(message, (Throwable) failure);
        }
    }
}
