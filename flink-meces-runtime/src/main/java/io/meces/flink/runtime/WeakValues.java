// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import java.util.concurrent.ConcurrentMap;
import org.apache.flink.shaded.guava18.com.google.common.collect.MapMaker;

/** Maps whose entries go when nobody else has their value. */
public final class WeakValues {

    private WeakValues() {}

    public static <K, V> ConcurrentMap<K, V> newMap() {
        return new MapMaker().weakValues().makeMap();
    }
}
