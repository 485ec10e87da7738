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

import io.meces.core.migration.Handover;
import java.io.IOException;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.runtime.event.RuntimeEvent;

/** From a donor to its consumers: the last results of units that leave it come before. */
public final class HandedOver extends RuntimeEvent {

    private Handover handover;

    /** For deserialisation. */
    public HandedOver() {}

    public HandedOver(Handover handover) {
        this.handover = handover;
    }

    public Handover handover() {
        return handover;
    }

    @Override
    public void write(DataOutputView out) throws IOException {
        out.writeLong(handover.step());
        out.writeInt(handover.number());
    }

    @Override
    public void read(DataInputView in) throws IOException {
        handover = new Handover(in.readLong(), in.readInt());
    }

    @Override
    public String toString() {
        return "HandedOver(" + handover + ")";
    }
}
