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
