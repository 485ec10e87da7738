// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.transition.kafka;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import javax.annotation.Nullable;

/** All that can fail of one service. Thread-safe. */
final class Outages {

    private final List<Outage> all = new CopyOnWriteArrayList<>();

    /** As the constructor of {@link Outage}. */
    Outage of(String what, Runnable onRecovery) {
        Outage outage = new Outage(what, onRecovery);
        all.add(outage);
        return outage;
    }

    /** What fails at the moment, and why; null: nothing. */
    @Nullable
    String reasons() {
        String reasons =
                all.stream()
                        .map(Outage::reason)
                        .filter(Objects::nonNull)
                        .collect(Collectors.joining("; "));
        return reasons.isEmpty() ? null : reasons;
    }
}
