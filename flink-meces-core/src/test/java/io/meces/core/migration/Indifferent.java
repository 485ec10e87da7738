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

package io.meces.core.migration;

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
                            return result == boolean.class
                                    ? (Object) false
                                    : result == long.class ? (Object) 0L : null;
                        }));
    }
}
