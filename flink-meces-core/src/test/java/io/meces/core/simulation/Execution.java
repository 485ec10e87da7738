// SPDX-License-Identifier: Apache-2.0
package io.meces.core.simulation;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/** All attempts from a start of the job to its next restart. */
final class Execution {

    final JobMaster master;
    final Ledger ledger;
    final SimulatedDownstream downstream = new SimulatedDownstream();
    final SimulatedSource[] sources;

    /** By index; null: not deployed. */
    final SimulatedElastic[] elastic;

    final SimulatedSink[] sinks;

    /** Input channels of the elastic vertex by input. */
    final List<BitSet> channelsOfInputs = new ArrayList<>();

    final BitSet broadcastChannels = new BitSet();

    /** Tasks that have failed, so that others may find them gone. */
    private int failures;

    Execution(JobMaster master, Ledger ledger, Scenario scenario) {
        this.master = master;
        this.ledger = ledger;
        Scenario.Settings settings = scenario.settings();
        int upstreams = scenario.inputs().size();
        sources = new SimulatedSource[upstreams];
        elastic = new SimulatedElastic[settings.capacity];
        sinks = new SimulatedSink[settings.sinks];
        BitSet first = new BitSet();
        first.set(0, settings.firstInput);
        channelsOfInputs.add(first);
        if (settings.firstInput < upstreams) {
            BitSet second = new BitSet();
            second.set(settings.firstInput, upstreams);
            channelsOfInputs.add(second);
            if (settings.secondIsBroadcast) {
                broadcastChannels.or(second);
            }
        }
    }

    void onFailure() {
        failures++;
    }

    /** A failure has done nobody any harm. */
    void onAbsorbed() {
        failures--;
    }

    boolean isFailing() {
        return failures > 0;
    }

    List<SimulatedTask> tasks() {
        List<SimulatedTask> all = new ArrayList<>();
        for (SimulatedTask[] kind : new SimulatedTask[][] {sources, elastic, sinks}) {
            for (SimulatedTask task : kind) {
                if (task != null) {
                    all.add(task);
                }
            }
        }
        return all;
    }

    /** An unaligned checkpoint stores records, and what is between them would be missing. */
    void checkNothingOfRescaleInFlight(long checkpoint) {
        // a new one has no part in it before its consumers know of it
        for (int k = 0; k < master.connected(); k++) {
            String found = elastic[k] == null ? null : elastic[k].inFlightOfRescale();
            Ledger.check(found == null, "unaligned checkpoint %d meets %s", checkpoint, found);
        }
        for (SimulatedSink sink : sinks) {
            Ledger.check(
                    !sink.waitsForHandover(),
                    "unaligned checkpoint %d meets results that %s keeps",
                    checkpoint,
                    sink);
        }
    }

    boolean hasFinishedSource() {
        for (SimulatedSource source : sources) {
            if (source.isFinished()) {
                return true;
            }
        }
        return false;
    }
}
