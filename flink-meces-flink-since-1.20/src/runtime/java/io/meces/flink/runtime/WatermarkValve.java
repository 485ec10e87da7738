// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.io.PushingAsyncDataInput.DataOutput;
import org.apache.flink.streaming.runtime.io.RecordAttributesCombiner;
import org.apache.flink.streaming.runtime.streamrecord.StreamElement;
import org.apache.flink.streaming.runtime.watermarkstatus.ElasticValve;

/** Joins the watermarks of channels, whose producers change. Task thread. */
public final class WatermarkValve {

    private final ElasticValve valve;
    private final RecordAttributesCombiner attributes;

    public WatermarkValve(int channels) {
        this.valve = new ElasticValve(channels);
        this.attributes = new RecordAttributesCombiner(channels);
    }

    public void inputWatermark(Watermark watermark, int channel, DataOutput<?> output)
            throws Exception {
        valve.inputWatermark(watermark, channel, output);
    }

    public void inputIdleness(boolean idle, int channel, DataOutput<?> output) throws Exception {
        valve.inputWatermarkStatus(Idleness.status(idle), channel, output);
    }

    /**
     * Takes an element that is neither record nor watermark nor latency marker.
     *
     * @return whether it is one that says whether its channel is idle, or what its records are like
     */
    public boolean inputStatus(StreamElement element, int channel, DataOutput<?> output)
            throws Exception {
        if (element.isWatermarkStatus()) {
            valve.inputWatermarkStatus(element.asWatermarkStatus(), channel, output);
            return true;
        }
        if (element.isRecordAttributes()) {
            attributes.inputRecordAttributes(element.asRecordAttributes(), channel, output);
            return true;
        }
        return false;
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
