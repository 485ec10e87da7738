// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.task;

import io.meces.core.command.TaskReport;
import io.meces.state.UnitStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.apache.flink.streaming.runtime.tasks.OperatorChain;

/**
 * How busy each key-group is at a subtask, and how much state it has. A record or timer counts once
 * for each operator of the chain that has keyed state and is handed it by key. It costs the
 * increment of a number, by the state backends of the chain; a look at these numbers each {@link
 * #PERIOD} tells what is recent. Owned by the task thread.
 */
final class LoadMeter {

    static final Duration PERIOD = Duration.ofSeconds(5);

    /** Records per second that are not worth telling. */
    private static final double NOTHING = 0.001;

    private final OperatorChain<?, ?> chain;
    private final int keyGroups;
    private final KeyGroupRates rates;

    LoadMeter(OperatorChain<?, ?> chain, int keyGroups) {
        this.chain = chain;
        this.keyGroups = keyGroups;
        this.rates = new KeyGroupRates(keyGroups, System.nanoTime());
    }

    void sample() {
        sample(ElasticAgent.stores(chain));
    }

    private void sample(List<UnitStore> stores) {
        rates.sample(
                keyGroup -> {
                    long count = 0;
                    for (UnitStore store : stores) {
                        count += store.selections(keyGroup);
                    }
                    return count;
                },
                System.nanoTime());
    }

    /** How it stands now. */
    TaskReport.Load measure(UUID survey) {
        List<UnitStore> stores = ElasticAgent.stores(chain);
        sample(stores);
        List<TaskReport.KeyGroupLoad> loads = new ArrayList<>();
        for (int keyGroup = 0; keyGroup < keyGroups; keyGroup++) {
            long entries = 0;
            for (UnitStore store : stores) {
                entries += store.entries(keyGroup);
            }
            if (entries > 0 || rates.perSecond(keyGroup) >= NOTHING) {
                loads.add(
                        new TaskReport.KeyGroupLoad(keyGroup, rates.perSecond(keyGroup), entries));
            }
        }
        return new TaskReport.Load(survey, rates.share(), loads);
    }
}
