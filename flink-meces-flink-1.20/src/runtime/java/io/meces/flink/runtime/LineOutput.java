// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import org.apache.flink.streaming.runtime.io.PushingAsyncDataInput.DataOutput;

/** Takes what only some lines of Flink emit: nothing. Task thread. */
abstract class LineOutput<T> implements DataOutput<T> {}
