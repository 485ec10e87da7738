// SPDX-License-Identifier: Apache-2.0
package io.meces.core.protocol;

import java.lang.reflect.Proxy;

/** Objects of which a test asks nothing. */
final class Indifferent {

    private Indifferent() {}

    /**
     * One that does nothing, and answers 0, false or null.
     *
     * @param answers what it answers instead where the type of one fits
     */
    static <T> T of(Class<T> type, Object... answers) {
        return type.cast(
                Proxy.newProxyInstance(
                        type.getClassLoader(),
                        new Class<?>[] {type},
                        (proxy, method, args) -> {
                            Class<?> result = method.getReturnType();
                            for (Object answer : answers) {
                                if (result.isInstance(answer)) {
                                    return answer;
                                }
                            }
                            if (result == boolean.class) {
                                return false;
                            }
                            if (result == int.class) {
                                return 0;
                            }
                            return result == long.class ? 0L : null;
                        }));
    }
}
