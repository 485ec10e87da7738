// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import org.apache.flink.streaming.api.operators.Input;
import org.apache.flink.streaming.runtime.io.PushingAsyncDataInput.DataOutput;
import org.apache.flink.streaming.runtime.streamrecord.StreamElement;

/** Elements that only some lines of Flink have: attributes of the records to come. Task thread. */
public final class OtherElements {

    private OtherElements() {}

    public static void emit(DataOutput<?> output, StreamElement element) throws Exception {
        output.emitRecordAttributes(element.asRecordAttributes());
    }

    public static void process(Input<?> input, StreamElement element) throws Exception {
        input.processRecordAttributes(element.asRecordAttributes());
    }
}
