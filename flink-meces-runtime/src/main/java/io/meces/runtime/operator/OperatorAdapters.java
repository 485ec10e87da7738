// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.operator;

import io.meces.state.ForgetsKeys;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import javax.annotation.Nullable;
import org.apache.flink.streaming.api.operators.StreamOperator;
import org.apache.flink.util.FlinkRuntimeException;

/** The kinds of operators that are known: ours, and those a job or an installation brings. */
public final class OperatorAdapters {

    private final List<OperatorAdapter> all = new ArrayList<>();

    private OperatorAdapters(Iterable<OperatorAdapter> others) {
        try {
            // first, so that one can take the place of ours
            others.forEach(all::add);
        } catch (ServiceConfigurationError e) {
            throw new FlinkRuntimeException(
                    "An OperatorAdapter that the job brings cannot be used", e);
        }
        all.addAll(Arrays.asList(new TableAdapter(), new BeamAdapter()));
    }

    /**
     * @param userCode the class loader of the job
     * @throws FlinkRuntimeException if one that it brings cannot be made
     */
    public static OperatorAdapters of(ClassLoader userCode) {
        return new OperatorAdapters(ServiceLoader.load(OperatorAdapter.class, userCode));
    }

    /** Who knows an operator; null if nobody does. */
    @Nullable
    public OperatorAdapter find(StreamOperator<?> operator) {
        for (OperatorAdapter adapter : all) {
            if (adapter.knows(operator)) {
                return adapter;
            }
        }
        return null;
    }

    /** What drops the values of keys of an open operator; null if it has none. */
    @Nullable
    public ForgetsKeys adapt(StreamOperator<?> operator) {
        OperatorAdapter adapter = find(operator);
        return adapter == null ? null : adapter.adapt(operator);
    }
}
