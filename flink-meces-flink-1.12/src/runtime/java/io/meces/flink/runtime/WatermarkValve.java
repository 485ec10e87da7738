// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.io.PushingAsyncDataInput.DataOutput;
import org.apache.flink.streaming.runtime.streamrecord.StreamElement;
import org.apache.flink.streaming.runtime.streamstatus.ElasticValve;

/** Joins the watermarks of channels, whose producers change. Task thread. */
public final class WatermarkValve {

    private final ElasticValve valve;

    public WatermarkValve(int channels) {
        this.valve = new ElasticValve(channels);
    }

    public void inputWatermark(Watermark watermark, int channel, DataOutput<?> output)
            throws Exception {
        valve.inputWatermark(watermark, channel, output);
    }

    public void inputIdleness(boolean idle, int channel, DataOutput<?> output) throws Exception {
        valve.inputStreamStatus(Idleness.status(idle), channel, output);
    }

    /**
     * Takes an element that is neither record nor watermark nor latency marker.
     *
     * @return whether it is one that says whether its channel is idle
     */
    public boolean inputStatus(StreamElement element, int channel, DataOutput<?> output)
            throws Exception {
        if (!element.isStreamStatus()) {
            return false;
        }
        valve.inputStreamStatus(element.asStreamStatus(), channel, output);
        return true;
    }

    /**
     * Forgets what the last producer of a channel has sent. The next one may be behind it.
     *
     * @param channel one that is idle
     */
    public void forget(int channel) {
        valve.forget(channel);
    }
}
