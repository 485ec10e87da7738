// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.task;

import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.java.operators.translation.WrappingFunction;
import org.apache.flink.streaming.api.functions.sink.OutputFormatSinkFunction;
import org.apache.flink.streaming.api.operators.AbstractUdfStreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperator;

/** Where the code of users is in an operator. Pure. */
public final class UserCode {

    private UserCode() {}

    /**
     * The operator, its function if it has one, and what that wraps, as Flink's windows and sinks
     * for output formats do.
     */
    public static List<Object> of(StreamOperator<?> operator) {
        List<Object> code = new ArrayList<>();
        code.add(operator);
        Object function =
                operator instanceof AbstractUdfStreamOperator
                        ? ((AbstractUdfStreamOperator<?, ?>) operator).getUserFunction()
                        : null;
        while (function != null) {
            code.add(function);
            if (function instanceof OutputFormatSinkFunction) {
                code.add(((OutputFormatSinkFunction<?>) function).getFormat());
            }
            function =
                    function instanceof WrappingFunction
                            ? ((WrappingFunction<?>) function).getWrappedFunction()
                            : null;
        }
        return code;
    }
}
