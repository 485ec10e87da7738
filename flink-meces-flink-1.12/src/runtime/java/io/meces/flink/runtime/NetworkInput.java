// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.core.io.InputStatus;
import org.apache.flink.runtime.checkpoint.channel.ChannelStateWriter;
import org.apache.flink.streaming.runtime.io.StreamTaskInput;

/** An input of a task that reads from gates. Owned by the task thread. */
public abstract class NetworkInput<T> implements StreamTaskInput<T> {

    /** Reads and processes something, if there is anything. */
    protected abstract InputProgress proceed() throws Exception;

    /** Stores what has been read and not processed; done when all barriers have come. */
    protected abstract CompletableFuture<Void> storeInFlight(
            ChannelStateWriter writer, long checkpointId) throws IOException;

    @Override
    public final CompletableFuture<Void> prepareSnapshot(
            ChannelStateWriter writer, long checkpointId) throws IOException {
        return storeInFlight(writer, checkpointId);
    }

    @Override
    public final InputStatus emitNext(DataOutput<T> output) throws Exception {
        switch (proceed()) {
            case MORE_AVAILABLE:
                return InputStatus.MORE_AVAILABLE;
            case NOTHING_AVAILABLE:
                return InputStatus.NOTHING_AVAILABLE;
            case END_OF_INPUT:
                return InputStatus.END_OF_INPUT;
            default:
                throw new IllegalStateException("this line does not tell data from input");
        }
    }
}
