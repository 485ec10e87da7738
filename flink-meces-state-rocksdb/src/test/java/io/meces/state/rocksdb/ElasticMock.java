// SPDX-License-Identifier: Apache-2.0
package io.meces.state.rocksdb;

import io.meces.state.ElasticEnvironment;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.BitSet;
import java.util.stream.IntStream;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.runtime.state.KeyGroupRange;

/** Environments of subtasks that are elastic. */
final class ElasticMock {

    private ElasticMock() {}

    /** Another environment, with those key-groups to begin with. */
    static Environment of(Environment environment, BitSet keyGroups) {
        return (Environment)
                Proxy.newProxyInstance(
                        ElasticMock.class.getClassLoader(),
                        new Class<?>[] {Environment.class, ElasticEnvironment.class},
                        (proxy, method, arguments) -> {
                            if (method.getDeclaringClass() == ElasticEnvironment.class) {
                                return method.getName().equals("subGroups")
                                        ? (Object) 1
                                        : keyGroups.clone();
                            }
                            try {
                                return method.invoke(environment, arguments);
                            } catch (InvocationTargetException e) {
                                throw e.getCause();
                            }
                        });
    }

    static BitSet range(KeyGroupRange range) {
        return of(
                IntStream.rangeClosed(range.getStartKeyGroup(), range.getEndKeyGroup()).toArray());
    }

    static BitSet of(int... keyGroups) {
        BitSet set = new BitSet();
        IntStream.of(keyGroups).forEach(set::set);
        return set;
    }
}
