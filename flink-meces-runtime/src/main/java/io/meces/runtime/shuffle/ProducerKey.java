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

package io.meces.runtime.shuffle;

import java.util.function.Supplier;
import javax.annotation.Nullable;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;

/**
 * The key that an operator of the chain processes now. Owned by the task thread.
 *
 * <p>Flink leaves the key of the last record or timer in place. While an element without a key is
 * processed, such as one of a broadcast input, what is still there counts for none.
 */
public final class ProducerKey {

    /** No key is processed. */
    static final int NONE = -1;

    private final OperatorID operator;
    private int subtask;
    private Supplier<AbstractKeyedStateBackend<?>> backends = () -> null;
    @Nullable private AbstractKeyedStateBackend<?> backend;
    @Nullable private Object leftOver;

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
     * @param backends the backend of the operator; null as long as it has none
     */
    public void link(int subtask, Supplier<AbstractKeyedStateBackend<?>> backends) {
        this.subtask = subtask;
        this.backends = backends;
    }

    /** From now on, until {@link #endWithoutKey()}, an element without a key is processed. */
    public void beginWithoutKey() {
        leftOver = current();
    }

    public void endWithoutKey() {
        leftOver = null;
    }

    /** Its key-group, or {@link #NONE}. */
    int keyGroup() {
        Object key = current();
        return key == null || key == leftOver ? NONE : backend.getCurrentKeyGroupIndex();
    }

    int subtask() {
        return subtask;
    }

    @Nullable
    private Object current() {
        if (backend == null) {
            backend = backends.get();
        }
        return backend == null ? null : backend.getCurrentKey();
    }
}
