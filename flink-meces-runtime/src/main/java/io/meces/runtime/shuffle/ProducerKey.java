// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.shuffle;

import io.meces.state.UnitKeyContext;
import java.util.function.Supplier;
import javax.annotation.Nullable;
import org.apache.flink.runtime.jobgraph.OperatorID;

/**
 * The key that an operator of the chain processes now. Owned by the task thread.
 *
 * <p>Flink leaves the key of the last record or timer in place. While an element without a key is
 * processed, such as one of a broadcast input, what is still there counts for none, but a key to
 * which a function is applied meanwhile counts.
 */
public final class ProducerKey {

    /** No key is processed. */
    static final int NONE = -1;

    private final OperatorID operator;
    private int subtask;
    private Supplier<UnitKeyContext<?>> contexts = () -> null;
    @Nullable private UnitKeyContext<?> context;

    ProducerKey(OperatorID operator) {
        this.operator = operator;
    }

    /** The operator that processes the key. */
    public OperatorID operator() {
        return operator;
    }

    /**
     * To be called before the first record is emitted for a key.
     *
     * @param subtask the index of the task
     * @param contexts that of the operator; null as long as it has no state
     */
    public void link(int subtask, Supplier<UnitKeyContext<?>> contexts) {
        this.subtask = subtask;
        this.contexts = contexts;
    }

    /** An element without a key is processed next. */
    public void leave() {
        if (linked()) {
            context.leaveKey();
        }
    }

    /** Its key-group, or {@link #NONE}. */
    int keyGroup() {
        return linked() && context.hasKey() ? context.getCurrentKeyGroupIndex() : NONE;
    }

    int subtask() {
        return subtask;
    }

    private boolean linked() {
        if (context == null) {
            context = contexts.get();
        }
        return context != null;
    }
}
