// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.graph;

import java.lang.reflect.Method;
import java.util.Arrays;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.AbstractStreamOperatorV2;
import org.apache.flink.streaming.api.operators.OperatorAccess;
import org.apache.flink.streaming.api.operators.SimpleOperatorFactory;
import org.apache.flink.streaming.api.operators.StreamOperatorFactory;

/**
 * Operators that write raw keyed state of their own: streams of bytes by key-group, of which nobody
 * else knows what a key has.
 *
 * <p>Pure.
 */
final class RawKeyedState {

    private static final String WRITES = "isUsingCustomRawKeyedState";

    /** Operators that are generated have no such state, and take long to compile. */
    private static final String TABLE = "org.apache.flink.table.";

    private RawKeyedState() {}

    /** Where a factory makes the operator, its class has to say so. */
    static boolean isWrittenBy(StreamOperatorFactory<?> factory, ClassLoader userCode) {
        if (factory instanceof SimpleOperatorFactory) {
            return OperatorAccess.usesRawKeyedState(
                    ((SimpleOperatorFactory<?>) factory).getOperator());
        }
        if (factory.getClass().getName().startsWith(TABLE)) {
            return false;
        }
        for (Class<?> type = factory.getStreamOperatorClass(userCode);
                type != null
                        && type != AbstractStreamOperator.class
                        && type != AbstractStreamOperatorV2.class;
                type = type.getSuperclass()) {
            if (Arrays.stream(type.getDeclaredMethods())
                    .map(Method::getName)
                    .anyMatch(WRITES::equals)) {
                return true;
            }
        }
        return false;
    }
}
