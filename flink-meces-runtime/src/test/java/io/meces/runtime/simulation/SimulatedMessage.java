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

package io.meces.runtime.simulation;

import io.meces.runtime.courier.Lane;
import io.meces.runtime.migration.Handover;

/** What one elastic subtask sends to another. */
final class SimulatedMessage {

    /** Kinds of messages, those of the transition service. */
    enum Kind {
        UNIT,
        FORWARD,
        PASSED,
        ALIGNED,
        REQUEST,
        INSTALLED,
        BROADCAST_STATE
    }

    final Kind kind;
    final Lane lane;
    final long step;
    final int from;
    final int unit;
    final int channel;
    final SimulatedElement record;
    final SimulatedUnit state;
    final int[] broadcastState;

    /** Of a unit: where the results of its donor stand in the donor's output; else null. */
    final Handover handover;

    private SimulatedMessage(
            Kind kind,
            Lane lane,
            long step,
            int from,
            int unit,
            int channel,
            SimulatedElement record,
            SimulatedUnit state) {
        this(kind, lane, step, from, unit, channel, record, state, null, null);
    }

    private SimulatedMessage(
            Kind kind,
            Lane lane,
            long step,
            int from,
            int unit,
            int channel,
            SimulatedElement record,
            SimulatedUnit state,
            int[] broadcastState,
            Handover handover) {
        this.kind = kind;
        this.lane = lane;
        this.step = step;
        this.from = from;
        this.unit = unit;
        this.channel = channel;
        this.record = record;
        this.state = state;
        this.broadcastState = broadcastState;
        this.handover = handover;
    }

    static SimulatedMessage unit(
            int from, int unit, SimulatedUnit state, Lane lane, Handover handover) {
        return new SimulatedMessage(
                Kind.UNIT, lane, handover.step(), from, unit, -1, null, state, null, handover);
    }

    static SimulatedMessage forward(long step, int from, SimulatedElement record) {
        return new SimulatedMessage(
                Kind.FORWARD, Lane.CONTROL, step, from, record.unit, record.channel, record, null);
    }

    static SimulatedMessage forwardAhead(long step, int from, SimulatedElement record) {
        return new SimulatedMessage(
                Kind.FORWARD, Lane.URGENT, step, from, record.unit, record.channel, record, null);
    }

    static SimulatedMessage passed(long step, int from, int channel) {
        return new SimulatedMessage(Kind.PASSED, Lane.CONTROL, step, from, -1, channel, null, null);
    }

    static SimulatedMessage aligned(long step, int from) {
        return new SimulatedMessage(Kind.ALIGNED, Lane.CONTROL, step, from, -1, -1, null, null);
    }

    static SimulatedMessage request(long step, int from, int unit) {
        return new SimulatedMessage(Kind.REQUEST, Lane.CONTROL, step, from, unit, -1, null, null);
    }

    static SimulatedMessage installed(long step, int from, int unit) {
        return new SimulatedMessage(Kind.INSTALLED, Lane.CONTROL, step, from, unit, -1, null, null);
    }

    static SimulatedMessage broadcastState(long step, int from, int[] state) {
        return new SimulatedMessage(
                Kind.BROADCAST_STATE,
                Lane.CONTROL,
                step,
                from,
                -1,
                -1,
                null,
                null,
                state.clone(),
                null);
    }

    @Override
    public String toString() {
        return kind
                + " (step "
                + step
                + (unit >= 0 ? ", unit " + unit : "")
                + (channel >= 0 ? ", channel " + channel : "")
                + (record == null ? "" : ", " + record)
                + ") from "
                + from;
    }
}
