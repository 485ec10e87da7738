// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.task;

import java.io.IOException;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.streaming.runtime.streamrecord.StreamElement;

/** An element of an input with the channel it came on; made only while a rescale runs. */
final class StreamInputElement implements InputElement {

    private final ElasticNetworkInput<?> input;
    private final int channel;
    private final int unit;
    private final StreamElement element;

    StreamInputElement(ElasticNetworkInput<?> input, int channel, int unit, StreamElement element) {
        this.input = input;
        this.channel = channel;
        this.unit = unit;
        this.element = element;
    }

    int inputIndex() {
        return input.getInputIndex();
    }

    /** The key of a record of a keyed input. */
    Object key() throws Exception {
        return input.keyOf(element);
    }

    void serialize(DataOutputSerializer out) throws IOException {
        input.serialize(element, out);
    }

    @Override
    public int channel() {
        return channel;
    }

    @Override
    public int unit() {
        return unit;
    }

    @Override
    public boolean isForAllKeys() {
        return unit < 0 && element.isRecord();
    }

    @Override
    public void process() throws Exception {
        input.processFrom(channel, element);
    }
}
