// SPDX-License-Identifier: Apache-2.0
package io.meces.core.exchange;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/**
 * What a subtask tells its consumers in-band, so that they read the results of a key in order when
 * its unit moves: as a donor, where its last results of units stand; as a receiver, behind which of
 * these its own are to be read. {@link HandoverAlignment} is the other side.
 *
 * <p>A donor tells before a unit is sent, a receiver when it is installed. So each consumer that
 * waits does so for something that has been emitted before: nobody waits in a circle, whatever
 * moves from where to where, and in however many vertices.
 *
 * <p>Owned by the task thread.
 */
public final class Handovers {

    private final Port port;
    private final Map<Integer, Handover> takenOver = new HashMap<>();
    private int number;
    private int events;

    public Handovers(Port port) {
        this.port = port;
    }

    /**
     * Says something to all consumers, after all results so far and before all that follow. Both
     * give the number of events that this takes, each for all consumers behind one output.
     */
    public interface Port {
        int handedOver(Handover handover) throws IOException;

        int takenOver(int donor, Handover handover) throws IOException;
    }

    /**
     * Units are about to be sent whose results have all been emitted.
     *
     * @return what they are to be sent with
     */
    public Handover handOver(long step) throws IOException {
        Handover handover = new Handover(step, ++number);
        events += port.handedOver(handover);
        return handover;
    }

    /** Units have come, and are about to be installed. */
    public void takeOver(int donor, Handover handover) throws IOException {
        Handover last = takenOver.get(donor);
        if (last == null || last.compareTo(handover) < 0) {
            takenOver.put(donor, handover);
            events += port.takenOver(donor, handover);
        }
    }

    /** How many events there were since the last call. */
    public int takeEvents() {
        int taken = events;
        events = 0;
        return taken;
    }
}
