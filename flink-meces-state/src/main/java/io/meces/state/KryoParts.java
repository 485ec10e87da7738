// SPDX-License-Identifier: Apache-2.0
package io.meces.state;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import javax.annotation.Nullable;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.java.typeutils.runtime.kryo.KryoSerializer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The parts of values that go through Kryo, by the serializers within a serializer. */
public final class KryoParts {

    private static final Logger LOG = LoggerFactory.getLogger(KryoParts.class);

    private final Set<Object> visited = Collections.newSetFromMap(new IdentityHashMap<>());
    private final BiConsumer<String, KryoSerializer<?>> action;

    private KryoParts(BiConsumer<String, KryoSerializer<?>> action) {
        this.action = action;
    }

    /**
     * @param action told the fields of POJOs that lead to the part, such as "order.at", empty if it
     *     is the value itself or an element, and its serializer
     */
    public static void forEach(
            TypeSerializer<?> serializer, BiConsumer<String, KryoSerializer<?>> action) {
        new KryoParts(action).visit(serializer, "");
    }

    private void visit(TypeSerializer<?> serializer, String path) {
        if (!visited.add(serializer)) {
            return;
        }
        if (serializer instanceof KryoSerializer) {
            action.accept(path, (KryoSerializer<?>) serializer);
            return;
        }
        Field[] names = {};
        List<TypeSerializer<?>> nested = new ArrayList<>();
        for (Class<?> c = serializer.getClass(); c != TypeSerializer.class; c = c.getSuperclass()) {
            for (Field field : c.getDeclaredFields()) {
                Object value =
                        Modifier.isStatic(field.getModifiers()) ? null : get(field, serializer);
                if (value instanceof Field[]) {
                    // of a POJO, in the order of the serializers of their values
                    names = (Field[]) value;
                } else {
                    addSerializers(value, nested);
                }
            }
        }
        for (int i = 0; i < nested.size(); i++) {
            String name =
                    i < names.length && names[i] != null ? join(path, names[i].getName()) : path;
            visit(nested.get(i), name);
        }
    }

    private static void addSerializers(@Nullable Object value, List<TypeSerializer<?>> to) {
        if (value instanceof TypeSerializer) {
            to.add((TypeSerializer<?>) value);
        } else if (value instanceof TypeSerializer[]) {
            for (TypeSerializer<?> serializer : (TypeSerializer<?>[]) value) {
                addSerializers(serializer, to);
            }
        } else if (value instanceof Collection) {
            ((Collection<?>) value).forEach(element -> addSerializers(element, to));
        }
    }

    /** What is declared to go through it. */
    public static Class<?> typeOf(KryoSerializer<?> kryo) {
        try {
            Class<?> type = (Class<?>) get(KryoSerializer.class.getDeclaredField("type"), kryo);
            return type == null ? Object.class : type;
        } catch (NoSuchFieldException e) {
            throw new IllegalStateException("Another KryoSerializer than that of Flink 1.12", e);
        }
    }

    @Nullable
    private static Object get(Field field, Object of) {
        try {
            field.setAccessible(true);
            return field.get(of);
        } catch (IllegalAccessException | RuntimeException e) {
            LOG.debug("{} cannot be looked into", field, e);
            return null;
        }
    }

    static String join(String path, String name) {
        return path.isEmpty() ? name : path + "." + name;
    }
}
