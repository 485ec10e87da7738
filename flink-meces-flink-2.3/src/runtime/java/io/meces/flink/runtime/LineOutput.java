// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import org.apache.flink.runtime.event.WatermarkEvent;
import org.apache.flink.streaming.runtime.io.PushingAsyncDataInput.DataOutput;

/** Takes what only some lines of Flink emit. Task thread. */
abstract class LineOutput<T> implements DataOutput<T> {

    /** Jobs that declare watermarks of their own (FLIP-467) are refused. */
    @Override
    public final void emitWatermark(WatermarkEvent watermark) {
        throw new UnsupportedOperationException(watermark + " was not declared.");
    }
}
