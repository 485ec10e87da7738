// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import org.apache.flink.streaming.api.operators.InternalTimeServiceManager;

/** Makes the timer services of operators. Task thread. */
@FunctionalInterface
public interface TimerServices {

    <K> InternalTimeServiceManager<K> create(TimerParts<K> parts) throws Exception;
}
