// SPDX-License-Identifier: Apache-2.0
package io.meces.state;

import static io.meces.state.Backends.SUB_GROUPS;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.BitSet;
import java.util.Collections;
import org.apache.flink.api.common.state.AggregatingState;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.ReducingState;
import org.apache.flink.api.common.state.State;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.runtime.state.ttl.TtlTimeProvider;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * State that is used before any key is set, as by the broadcast side of a function: refused in
 * Flink's own words, which tests of users look for.
 */
class NoKeyTest {

    private static final String NO_KEY =
            "No key set. This method should not be called outside of a keyed context.";

    private static void assertRefused(ThrowingCallable access) {
        assertThatThrownBy(access).isInstanceOf(NullPointerException.class).hasMessage(NO_KEY);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void refusesAnyAccess(boolean elastic) throws Exception {
        MecesKeyedStateBackend<String> backend =
                Backends.elastic(
                        elastic ? new BitSet() : null,
                        SUB_GROUPS,
                        StringSerializer.INSTANCE,
                        TtlTimeProvider.DEFAULT);
        ValueState<Long> value = state(backend, States.VALUE);
        ListState<String> list = state(backend, States.LIST);
        MapState<String, Integer> map = state(backend, States.MAP);
        ReducingState<Long> reducing = state(backend, States.REDUCING);
        AggregatingState<Long, String> aggregating = state(backend, States.AGGREGATING);

        assertRefused(value::value);
        assertRefused(() -> value.update(1L));
        assertRefused(value::clear);
        assertRefused(list::get);
        assertRefused(() -> list.add("a"));
        assertRefused(() -> list.update(Collections.singletonList("a")));
        assertRefused(() -> map.get("a"));
        assertRefused(() -> map.put("a", 1));
        assertRefused(map::entries);
        // in 1.12 Flink's own class puts another exception around it
        assertThatThrownBy(() -> reducing.add(1L)).hasStackTraceContaining(NO_KEY);
        assertRefused(reducing::get);
        assertThatThrownBy(() -> aggregating.add(1L)).hasStackTraceContaining(NO_KEY);
        assertRefused(aggregating::get);
    }

    private static <S extends State> S state(
            MecesKeyedStateBackend<String> backend, StateDescriptor<S, ?> descriptor)
            throws Exception {
        return backend.getPartitionedState(
                VoidNamespace.INSTANCE, VoidNamespaceSerializer.INSTANCE, descriptor);
    }
}
