// SPDX-License-Identifier: Apache-2.0
package io.meces.examples.nexmark;

import java.util.Collection;
import java.util.Collections;
import org.apache.flink.api.common.ExecutionConfig;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.windowing.assigners.WindowAssigner;
import org.apache.flink.streaming.api.windowing.triggers.EventTimeTrigger;
import org.apache.flink.streaming.api.windowing.triggers.Trigger;
import org.apache.flink.streaming.api.windowing.triggers.TriggerResult;
import org.apache.flink.streaming.api.windowing.windows.TimeWindow;

/**
 * Windows of Flink that markers bypass: each gets a window for itself, which fires at once. It has
 * no end, as the operator would otherwise have a timer for that, for each marker.
 */
final class MarkerWindows extends WindowAssigner<Event, TimeWindow> {
    private static final long serialVersionUID = 1L;

    /** The last timestamp before it is {@link Long#MAX_VALUE}: "never" for the operator. */
    private static final long NO_END = Long.MAX_VALUE + 1;

    private final WindowAssigner<Object, TimeWindow> others;

    /**
     * Windows with markers.
     *
     * @param others the event-time windows of all other records
     */
    MarkerWindows(WindowAssigner<Object, TimeWindow> others) {
        this.others = others;
    }

    @Override
    public Collection<TimeWindow> assignWindows(
            Event event, long timestamp, WindowAssignerContext context) {
        return event instanceof Marker
                ? Collections.singletonList(new TimeWindow(timestamp, NO_END))
                : others.assignWindows(event, timestamp, context);
    }

    @Override
    public Trigger<Event, TimeWindow> getDefaultTrigger(StreamExecutionEnvironment env) {
        return new MarkerTrigger();
    }

    @Override
    public TypeSerializer<TimeWindow> getWindowSerializer(ExecutionConfig config) {
        return others.getWindowSerializer(config);
    }

    @Override
    public boolean isEventTime() {
        return true;
    }

    @Override
    public String toString() {
        return others.toString();
    }

    /** Fires for a marker at once, and otherwise at the end of the window. */
    private static final class MarkerTrigger extends Trigger<Event, TimeWindow> {
        private static final long serialVersionUID = 1L;

        private final EventTimeTrigger atEnd = EventTimeTrigger.create();

        @Override
        public TriggerResult onElement(
                Event event, long timestamp, TimeWindow window, TriggerContext context)
                throws Exception {
            return event instanceof Marker
                    ? TriggerResult.FIRE_AND_PURGE
                    : atEnd.onElement(event, timestamp, window, context);
        }

        @Override
        public TriggerResult onEventTime(long time, TimeWindow window, TriggerContext context) {
            return atEnd.onEventTime(time, window, context);
        }

        @Override
        public TriggerResult onProcessingTime(
                long time, TimeWindow window, TriggerContext context) {
            return TriggerResult.CONTINUE;
        }

        @Override
        public void clear(TimeWindow window, TriggerContext context) throws Exception {
            atEnd.clear(window, context);
        }

        @Override
        public String toString() {
            return "MarkerTrigger()";
        }
    }
}
