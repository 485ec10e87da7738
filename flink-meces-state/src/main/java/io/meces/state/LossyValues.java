// SPDX-License-Identifier: Apache-2.0
package io.meces.state;

import com.esotericsoftware.kryo.serializers.FieldSerializer;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.WildcardType;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.UnknownHostException;
import java.time.Clock;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SimpleTimeZone;
import java.util.concurrent.atomic.DoubleAdder;
import java.util.concurrent.atomic.LongAdder;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.java.typeutils.runtime.kryo.KryoSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Parts of values that Kryo changes without a word, as it leaves out transient fields of the JDK's
 * classes. On the heap a value is an object until its key moves, or the job is restored: it is
 * another one from then on.
 *
 * <p>The types that are declared tell, and a trip of a sample through the very serializer: who
 * registers one of their own for the class is not warned.
 */
final class LossyValues {

    private static final Logger LOG = LoggerFactory.getLogger(LossyValues.class);

    private static final List<String> LEAVES = Arrays.asList("java.", "javax.", "scala.", "sun.");

    private final List<String> found = new ArrayList<>();

    private LossyValues() {}

    /**
     * Warns of them in the log.
     *
     * @param owner names the backend
     * @param what has the values, such as "state 'x'"
     */
    static void warn(String owner, String what, TypeSerializer<?> serializer) {
        List<String> parts;
        try {
            parts = of(serializer);
        } catch (RuntimeException | LinkageError e) {
            // such as a class of a field that is not there: no reason to fail a job
            LOG.debug("{}, {}: cannot tell what Kryo changes", owner, what, e);
            return;
        }
        for (String part : parts) {
            LOG.warn(
                    "{}, {}: {} when its key moves in a rescale, as when the job is restored. Give"
                            + " it a TypeInformation whose serializer keeps it, or register one for"
                            + " the class by addDefaultKryoSerializer() of the ExecutionConfig, or"
                            + " keep it as a string.",
                    owner,
                    what,
                    part);
        }
    }

    /** Such as "field 'at' is a java.time.OffsetTime, which becomes …". */
    static List<String> of(TypeSerializer<?> serializer) {
        LossyValues values = new LossyValues();
        KryoParts.forEach(
                serializer,
                (path, kryo) ->
                        values.visit(
                                KryoParts.typeOf(kryo), path, kryo.duplicate(), new HashSet<>()));
        return values.found;
    }

    // ------------------------------------------------------------------------
    //  Types that go through Kryo
    // ------------------------------------------------------------------------

    private void visit(Type type, String path, KryoSerializer<?> kryo, Set<Type> above) {
        if (!above.add(type)) {
            return;
        }
        if (type instanceof ParameterizedType) {
            for (Type argument : ((ParameterizedType) type).getActualTypeArguments()) {
                visit(argument, path, kryo, above);
            }
            visit(((ParameterizedType) type).getRawType(), path, kryo, above);
        } else if (type instanceof WildcardType) {
            visit(((WildcardType) type).getUpperBounds()[0], path, kryo, above);
        } else if (type instanceof GenericArrayType) {
            visit(((GenericArrayType) type).getGenericComponentType(), path, kryo, above);
        } else if (type instanceof Class) {
            visitClass((Class<?>) type, path, kryo, above);
        }
        above.remove(type);
    }

    private void visitClass(Class<?> type, String path, KryoSerializer<?> kryo, Set<Type> above) {
        if (type.isArray()) {
            visit(type.getComponentType(), path, kryo, above);
            return;
        }
        for (Sample sample : Sample.values()) {
            if (sample.type == type) {
                String change = sample.change(kryo);
                if (change != null) {
                    found.add(
                            (path.isEmpty() ? "a value" : "field '" + path + "'")
                                    + " is a "
                                    + type.getName()
                                    + ", which Kryo changes silently ("
                                    + change
                                    + ")");
                }
                return;
            }
        }
        if (type.isPrimitive()
                || type.isEnum()
                || type.isInterface()
                || LEAVES.stream().anyMatch(type.getName()::startsWith)
                || !(kryo.getKryo().getSerializer(type) instanceof FieldSerializer)) {
            return;
        }
        for (Class<?> c = type; c != null && c != Object.class; c = c.getSuperclass()) {
            for (Field field : c.getDeclaredFields()) {
                int modifiers = field.getModifiers();
                if (!Modifier.isStatic(modifiers) && !Modifier.isTransient(modifiers)) {
                    visit(
                            field.getGenericType(),
                            KryoParts.join(path, field.getName()),
                            kryo,
                            above);
                }
            }
        }
    }

    /** Classes of the JDK that Kryo of Flink 1.12 changes, and a value of each. */
    enum Sample {
        ZONE_OFFSET(ZoneOffset.class, ZoneOffset.ofHours(-3)),
        OFFSET_TIME(OffsetTime.class, OffsetTime.of(10, 15, 30, 0, ZoneOffset.ofHours(-3))),
        OFFSET_DATE_TIME(OffsetDateTime.class, OffsetDateTime.of(local(), ZoneOffset.ofHours(-3))),
        ZONED_DATE_TIME(ZonedDateTime.class, ZonedDateTime.of(local(), ZoneId.of("Europe/Berlin"))),
        CLOCK(Clock.class, Clock.systemUTC()),
        INET_ADDRESS(InetAddress.class, address()),
        INET_4_ADDRESS(Inet4Address.class, address()),
        INET_6_ADDRESS(Inet6Address.class, address6()),
        INET_SOCKET_ADDRESS(InetSocketAddress.class, new InetSocketAddress(address(), 80)),
        URL_OF_A_PAGE(URL.class, url()),
        SIMPLE_TIME_ZONE(SimpleTimeZone.class, new SimpleTimeZone(3_600_000, "CET")),
        LONG_ADDER(LongAdder.class, longs()),
        DOUBLE_ADDER(DoubleAdder.class, doubles());

        final Class<?> type;
        final Object value;

        Sample(Class<?> type, Object value) {
            this.type = type;
            this.value = value;
        }

        private static LocalDateTime local() {
            return LocalDateTime.of(2020, 1, 2, 10, 15, 30);
        }

        private static InetAddress address() {
            try {
                return InetAddress.getByAddress("host", new byte[] {10, 1, 2, 3});
            } catch (UnknownHostException e) {
                throw new IllegalStateException(e);
            }
        }

        private static InetAddress address6() {
            byte[] bytes = new byte[16];
            bytes[15] = 1;
            try {
                return InetAddress.getByAddress("host", bytes);
            } catch (UnknownHostException e) {
                throw new IllegalStateException(e);
            }
        }

        private static URL url() {
            try {
                return new URL("http://host/page");
            } catch (MalformedURLException e) {
                throw new IllegalStateException(e);
            }
        }

        private static LongAdder longs() {
            LongAdder adder = new LongAdder();
            adder.add(3);
            return adder;
        }

        private static DoubleAdder doubles() {
            DoubleAdder adder = new DoubleAdder();
            adder.add(3);
            return adder;
        }

        /** What a trip through the serializer makes of the value; null: it stays what it is. */
        String change(KryoSerializer<?> serializer) {
            String after = text(trip(value, serializer));
            return after.equals(text(value)) ? null : text(value) + " becomes " + after;
        }
    }

    /** What comes of a value; itself if it is refused, as that is not silent. */
    @SuppressWarnings("unchecked")
    static Object trip(Object value, KryoSerializer<?> serializer) {
        KryoSerializer<Object> own = (KryoSerializer<Object>) serializer.duplicate();
        DataOutputSerializer out = new DataOutputSerializer(64);
        try {
            own.serialize(value, out);
            return own.deserialize(new DataInputDeserializer(out.getCopyOfBuffer()));
        } catch (IOException | RuntimeException | LinkageError e) {
            LOG.debug("{} is refused by Kryo", value, e);
            return value;
        }
    }

    /** What can be seen of a value. */
    static String text(Object value) {
        try {
            // toString() may be null
            return String.valueOf((Object) String.valueOf(value));
        } catch (RuntimeException e) {
            return "what cannot be read";
        }
    }
}
