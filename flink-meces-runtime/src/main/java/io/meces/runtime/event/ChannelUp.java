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

package io.meces.runtime.event;

import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.runtime.event.RuntimeEvent;

/** The first element of a channel whose producer has been activated while the job runs. */
public final class ChannelUp extends RuntimeEvent {

    @Override
    public void write(DataOutputView out) {
        // it has no content
    }

    @Override
    public void read(DataInputView in) {
        // it has no content
    }

    @Override
    public String toString() {
        return "ChannelUp";
    }
}
