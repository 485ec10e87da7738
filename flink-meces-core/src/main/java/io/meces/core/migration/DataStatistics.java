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
