// SPDX-License-Identifier: Apache-2.0
package io.meces.core.command;

import java.io.Serializable;

/** What a receiver got of data that comes apart from its units. An immutable value. */
public final class DataStatistics implements Serializable {
    private static final long serialVersionUID = 1L;

    /** Bytes, by key and in the background. */
    public final long bytes;

    /** Keys that were fetched because a record or a timer waited for them. */
    public final int keysFetched;

    /** Records that waited for the data of their key. */
    public final RecordWaits waits;

    public DataStatistics(long bytes, int keysFetched, RecordWaits waits) {
        this.bytes = bytes;
        this.keysFetched = keysFetched;
        this.waits = waits;
    }
}
