// SPDX-License-Identifier: Apache-2.0
package io.meces.core.eventtime;

import java.util.Arrays;
import javax.annotation.Nullable;

/**
 * The event time of keys at one operator. It is the operator's watermark, but for units that came
 * from where it was higher: for their keys time must not go back, or what has been evaluated and
 * purged there would begin anew with the next late record. A unit is {@code keyGroup * subGroups +
 * subGroup}. Times are those of the job, in ms; {@link Long#MIN_VALUE} if there was none yet.
 *
 * <p>Nothing is kept as soon as the watermark has passed all that units have brought.
 *
 * <p>Owned by the task thread.
 */
public final class KeyTimes {

    private final int units;
    private long watermark = Long.MIN_VALUE;

    /** By unit: what its time is at least; null if that is the watermark for all. */
    @Nullable private long[] floors;

    /** The highest of them. */
    private long highest;

    /**
     * @param units how many there are in all
     */
    public KeyTimes(int units) {
        this.units = units;
    }

    /** Whether the time of all keys is the watermark. */
    public boolean isWatermarkForAll() {
        return floors == null;
    }

    /** The watermark rises; to be called before timers fire. */
    public void onWatermark(long newWatermark) {
        watermark = newWatermark;
        if (floors != null && newWatermark >= highest) {
            floors = null;
        }
    }

    /**
     * The time of the keys of a unit.
     *
     * @param unit -1: of no key, which is the watermark
     */
    public long of(int unit) {
        return floors == null || unit < 0 ? watermark : Math.max(watermark, floors[unit]);
    }

    /**
     * A unit has come.
     *
     * @param time {@link #of} the unit where it was
     */
    public void come(int unit, long time) {
        if (time <= watermark) {
            return;
        }
        if (floors == null) {
            floors = new long[units];
            Arrays.fill(floors, Long.MIN_VALUE);
            highest = time;
        }
        floors[unit] = time;
        highest = Math.max(highest, time);
    }
}
