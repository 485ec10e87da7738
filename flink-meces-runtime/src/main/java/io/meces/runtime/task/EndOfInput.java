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
