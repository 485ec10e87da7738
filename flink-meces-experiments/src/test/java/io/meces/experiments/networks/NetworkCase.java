// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.networks;

import io.meces.api.RescaleState;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import javax.annotation.Nullable;

/** A network that is bad from the beginning, or is cut for some seconds in a rescale. A value. */
final class NetworkCase {

    /** Who does not reach whom. */
    private enum Cut {
        NONE,
        /** TaskManagers each other; all of them reach the JobManager and Kafka. */
        PEERS,
        /** A TaskManager, with a donor, nobody. */
        DONOR,
        /** A TaskManager, with a donor, the JobManager and Kafka, which are on one host. */
        DONOR_FROM_HUB
    }

    private final String name;
    private final List<String> commands;
    private final Cut cut;
    private final int seconds;
    @Nullable private final RescaleState state;

    private NetworkCase(
            String name,
            List<String> commands,
            Cut cut,
            int seconds,
            @Nullable RescaleState state) {
        this.name = name;
        this.commands = commands;
        this.cut = cut;
        this.seconds = seconds;
        this.state = state;
    }

    static List<NetworkCase> all() {
        List<NetworkCase> all = new ArrayList<>();
        all.add(bad("AS_IS"));
        all.add(bad("DELAY_1_MS", "delay 1"));
        all.add(bad("DELAY_10_MS", "delay 10"));
        all.add(bad("RATE_100_MBIT", "rate 100"));
        all.add(bad("LOSS_1_PERCENT", "loss 1"));
        RescaleState[] states = {
            RescaleState.BEGINNING, RescaleState.MIGRATING, RescaleState.DRAINING
        };
        for (Cut cut : new Cut[] {Cut.PEERS, Cut.DONOR, Cut.DONOR_FROM_HUB}) {
            for (int seconds : new int[] {5, 20, 60}) {
                for (RescaleState state : states) {
                    all.add(
                            new NetworkCase(
                                    "CUT_" + cut + "-" + seconds + "-" + state,
                                    new ArrayList<>(),
                                    cut,
                                    seconds,
                                    state));
                }
            }
        }
        return all;
    }

    private static NetworkCase bad(String name, String... commands) {
        List<String> list = new ArrayList<>();
        for (String command : commands) {
            list.add(command.toLowerCase(Locale.ROOT));
        }
        return new NetworkCase(name, list, Cut.NONE, 0, null);
    }

    /** Subtasks are drained when there are fewer to be. */
    boolean isScaleIn() {
        return state == RescaleState.DRAINING;
    }

    /** Whether TaskManagers do not reach each other, but the JobManager. */
    boolean isBetweenPeers() {
        return cut == Cut.PEERS;
    }

    /** For how long it is cut; 0: not at all. */
    int cutSeconds() {
        return seconds;
    }

    /** When it is cut. */
    @Nullable
    RescaleState state() {
        return state;
    }

    /** Makes the network as bad as it is to be. */
    void apply(NetworkLab network) throws Exception {
        for (String command : commands) {
            network.tell(command);
        }
    }

    /**
     * Cuts it.
     *
     * @param donor the host of a donor
     * @param hosts how many there are besides the hub
     */
    void cut(NetworkLab network, int donor, int hosts) throws Exception {
        for (int host = 1; host <= hosts; host++) {
            for (int other = 0; other < host; other++) {
                boolean isCut;
                switch (cut) {
                    case PEERS:
                        isCut = other > 0;
                        break;
                    case DONOR:
                        isCut = host == donor || other == donor;
                        break;
                    default:
                        isCut = other == 0 && host == donor;
                }
                if (isCut) {
                    network.cut(host, other);
                }
            }
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
