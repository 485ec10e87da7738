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
