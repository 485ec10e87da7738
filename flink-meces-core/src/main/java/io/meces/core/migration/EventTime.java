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

package io.meces.core.migration;

import java.io.Serializable;

/** How far a subtask is in event time. Times are those of the job, in ms. Immutable. */
public final class EventTime implements Serializable {
    private static final long serialVersionUID = 1L;

    /** {@link Long#MIN_VALUE} if there was none yet. */
    public final long watermark;

    /** When its first timer is to fire; {@link Long#MAX_VALUE} if it has none. */
    public final long nextTimer;

    public EventTime(long watermark, long nextTimer) {
        this.watermark = watermark;
        this.nextTimer = nextTimer;
    }
}
