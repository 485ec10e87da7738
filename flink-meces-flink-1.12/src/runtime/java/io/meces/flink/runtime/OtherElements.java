// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import org.apache.flink.streaming.api.operators.Input;
import org.apache.flink.streaming.runtime.io.PushingAsyncDataInput.DataOutput;
import org.apache.flink.streaming.runtime.streamrecord.StreamElement;

/** Elements that only some lines of Flink have; this one has none. */
public final class OtherElements {

    private OtherElements() {}

    public static void emit(DataOutput<?> output, StreamElement element) {
        throw new IllegalArgumentException("unknown element " + element);
    }

    public static void process(Input<?> input, StreamElement element) {
        throw new IllegalArgumentException("unknown element " + element);
    }
}
