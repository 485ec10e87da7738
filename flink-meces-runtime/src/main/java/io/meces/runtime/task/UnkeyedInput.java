/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
 * in compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License
 * is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
 * or implied. See the License for the specific language governing permissions and limitations under
 * the License.
 */

package io.meces.runtime.task;

import io.meces.runtime.shuffle.ProducerKey;
import java.util.List;
import org.apache.flink.streaming.api.operators.Input;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.LatencyMarker;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * An input without a key, of an operator the results of which are partitioned by its key. Owned by
 * the task thread.
 */
final class UnkeyedInput<T> implements Input<T> {

    private final Input<T> input;
    private final List<ProducerKey> keys;

    private UnkeyedInput(Input<T> input, List<ProducerKey> keys) {
        this.input = input;
        this.keys = keys;
    }

    /**
     * @param keys by which the results are partitioned
     * @return the input itself if there are none
     */
    static <T> Input<T> of(Input<T> input, List<ProducerKey> keys) {
        return keys.isEmpty() ? input : new UnkeyedInput<>(input, keys);
    }

    @Override
    public void processElement(StreamRecord<T> element) throws Exception {
        for (ProducerKey key : keys) {
            key.beginWithoutKey();
        }
        input.processElement(element);
        for (ProducerKey key : keys) {
            key.endWithoutKey();
        }
    }

    @Override
    public void setKeyContextElement(StreamRecord<T> record) throws Exception {
        input.setKeyContextElement(record);
    }

    @Override
    public void processWatermark(Watermark mark) throws Exception {
        input.processWatermark(mark);
    }

    @Override
    public void processLatencyMarker(LatencyMarker marker) throws Exception {
        input.processLatencyMarker(marker);
    }
}
