// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.task;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import org.apache.flink.streaming.runtime.tasks.OperatorChain;

/** What only later patch releases of Flink can be told of the end of the input. */
final class EndOfInput {

    private EndOfInput() {}

    /**
     * Has the operators not be told once more that their input has ended.
     *
     * @return false if this release of Flink will tell them when the task ends
     */
    static boolean ignore(OperatorChain<?, ?> chain) {
        Method setter;
        try {
            setter = OperatorChain.class.getMethod("setIgnoreEndOfInput", boolean.class);
        } catch (NoSuchMethodException e) {
            return false;
        }
        try {
            setter.invoke(chain, true);
            return true;
        } catch (IllegalAccessException | InvocationTargetException e) {
            throw new IllegalStateException(e);
        }
    }
}
