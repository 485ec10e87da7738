// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live.matrix;

/** What the sources of the matrix emit. A POJO, as users write them. */
public final class Event {

    /** All records of a key come from one source subtask, so their order is determined. */
    public int key;

    /** The number of the record among those of its key, from 0. */
    public int seq;

    /** Event time. */
    public long time;

    public Event() {}

    Event(int key, int seq, long time) {
        this.key = key;
        this.seq = seq;
        this.time = time;
    }

    @Override
    public String toString() {
        return key + "#" + seq;
    }
}
