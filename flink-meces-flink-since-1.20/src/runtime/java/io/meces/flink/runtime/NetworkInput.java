// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import org.apache.flink.streaming.runtime.io.DataInputStatus;
import org.apache.flink.streaming.runtime.io.StreamTaskInput;

/** An input of a task that reads from gates. Owned by the task thread. */
public abstract class NetworkInput<T> implements StreamTaskInput<T> {

    /** Reads and processes something, if there is anything. */
    protected abstract InputProgress proceed() throws Exception;

    @Override
    public final DataInputStatus emitNext(DataOutput<T> output) throws Exception {
        switch (proceed()) {
            case MORE_AVAILABLE:
                return DataInputStatus.MORE_AVAILABLE;
            case NOTHING_AVAILABLE:
                return DataInputStatus.NOTHING_AVAILABLE;
            case STOPPED:
                return DataInputStatus.STOPPED;
            case END_OF_DATA:
                return DataInputStatus.END_OF_DATA;
            default:
                return DataInputStatus.END_OF_INPUT;
        }
    }
}
