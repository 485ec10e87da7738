// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.task;

import io.meces.flink.runtime.TimerParts;
import java.lang.reflect.Field;
import java.util.HashMap;
import java.util.Map;
import org.apache.flink.runtime.state.KeyGroupStatePartitionStreamProvider;
import org.apache.flink.streaming.api.operators.InternalTimeServiceManager;
import org.apache.flink.streaming.api.operators.InternalTimeServiceManagerImpl;
import org.apache.flink.streaming.api.operators.InternalTimerServiceImpl;
import org.apache.flink.streaming.api.operators.InternalTimerServiceSerializationProxy;

/**
 * The timer services of an operator, in the place of the map in which Flink's manager looks for
 * them: it has each {@link KeyTimerService} that is asked for. The manager stays Flink's own, as
 * there are operators that ask for its class.
 *
 * <p>The map is private; the field is opened once, when this class is initialized, and a Flink
 * without it fails there. Owned by the task thread.
 *
 * @param <K> type of key
 */
final class KeyTimerServices<K> extends HashMap<String, InternalTimerServiceImpl<K, ?>> {
    private static final long serialVersionUID = 1L;

    private static final Field FIELD = field();

    private final transient TimerParts<K> parts;
    private final transient Port port;

    /** What the services of an operator are to know. */
    interface Port {

        /** Whether the time of all keys is the watermark; asked whenever a time is. */
        boolean isWatermarkForAll();

        /** The time of the current key. */
        long timeOfKey();

        /** The operator's watermark rises, and timers are about to fire. */
        void onWatermark(long watermark);
    }

    private KeyTimerServices(TimerParts<K> parts, Port port) {
        this.parts = parts;
        this.port = port;
    }

    /** Makes Flink's manager with such services. */
    static <K> InternalTimeServiceManager<K> manager(TimerParts<K> parts, Port port)
            throws Exception {
        InternalTimeServiceManagerImpl<K> manager = parts.emptyManager();
        FIELD.set(manager, new KeyTimerServices<>(parts, port));
        for (KeyGroupStatePartitionStreamProvider timers : parts.rawKeyedStates) {
            new InternalTimerServiceSerializationProxy<>(
                            manager, parts.userCode, timers.getKeyGroupId())
                    .read(timers.getStream());
        }
        return manager;
    }

    /** The service of that name, which is made if it is not there. */
    @Override
    public InternalTimerServiceImpl<K, ?> get(Object name) {
        return computeIfAbsent((String) name, absent -> new KeyTimerService<>(absent, parts, port));
    }

    private static Field field() {
        try {
            Field field = InternalTimeServiceManagerImpl.class.getDeclaredField("timerServices");
            if (field.getType() != Map.class) {
                throw new IllegalStateException("This Flink keeps its timer services elsewhere");
            }
            field.setAccessible(true);
            return field;
        } catch (NoSuchFieldException e) {
            throw new IllegalStateException(
                    "This Flink has no InternalTimeServiceManagerImpl.timerServices", e);
        }
    }
}
