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

package org.apache.flink.streaming.api.operators;

import javax.annotation.Nullable;

/** Bridge: what operators and their timer services keep to themselves. */
public final class OperatorAccess {

    /** What the names of the queues of event-time timers begin with. */
    public static final String EVENT_TIMERS = InternalTimeServiceManagerImpl.EVENT_TIMER_PREFIX;

    /** What the names of the queues of processing-time timers begin with. */
    public static final String PROCESSING_TIMERS =
            InternalTimeServiceManagerImpl.PROCESSING_TIMER_PREFIX;

    private OperatorAccess() {}

    /** Whether an operator writes raw keyed state of its own, besides Flink's timers. */
    public static boolean usesRawKeyedState(StreamOperator<?> operator) {
        if (operator instanceof AbstractStreamOperator) {
            return ((AbstractStreamOperator<?>) operator).isUsingCustomRawKeyedState();
        }
        return operator instanceof AbstractStreamOperatorV2
                && ((AbstractStreamOperatorV2<?>) operator).isUsingCustomRawKeyedState();
    }

    /** The timer services of an operator; null if it has none. */
    @Nullable
    public static InternalTimeServiceManager<?> timerServices(StreamOperator<?> operator) {
        return operator instanceof AbstractStreamOperator
                ? ((AbstractStreamOperator<?>) operator).getTimeServiceManager().orElse(null)
                : ((AbstractStreamOperatorV2<?>) operator).getTimeServiceManager().orElse(null);
    }

    /** The timer service of that name; null if it does not exist (yet). */
    @Nullable
    public static InternalTimerServiceImpl<?, ?> timerService(
            @Nullable InternalTimeServiceManager<?> services, String name) {
        return services instanceof InternalTimeServiceManagerImpl
                ? ((InternalTimeServiceManagerImpl<?>) services)
                        .getRegisteredTimerServices()
                        .get(name)
                : null;
    }
}
