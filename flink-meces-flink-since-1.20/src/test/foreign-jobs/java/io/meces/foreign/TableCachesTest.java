// SPDX-License-Identifier: Apache-2.0
package io.meces.foreign;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.flink.runtime.TableCaches;
import java.io.IOException;
import java.lang.reflect.Field;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import org.apache.flink.shaded.guava31.com.google.common.cache.Cache;
import org.apache.flink.table.runtime.operators.TableStreamOperator;
import org.apache.flink.table.runtime.util.LRUMap;
import org.junit.jupiter.api.Test;

/** With the operators of Flink's Table API as they are. */
class TableCachesTest {

    /** What has these caches is refused. */
    private static final String REFUSED = ".deltajoin.";

    @Test
    void eachFieldOfAPathIsThere() throws Exception {
        for (List<String> path : TableCaches.PATHS) {
            for (String field : path) {
                assertThat(declared(field)).as(field).isNotNull();
            }
        }
    }

    /** A cache that a new release has would be kept when keys leave. */
    @Test
    void eachCacheOfAnOperatorIsAtTheEndOfAPath() throws Exception {
        Set<String> ends =
                TableCaches.PATHS.stream()
                        .map(path -> path.get(path.size() - 1))
                        .collect(Collectors.toCollection(TreeSet::new));

        assertThat(caches()).isEqualTo(ends);
    }

    private static Field declared(String path) throws ReflectiveOperationException {
        int dot = path.lastIndexOf('.');
        return Class.forName(path.substring(0, dot)).getDeclaredField(path.substring(dot + 1));
    }

    private static Set<String> caches() throws Exception {
        Set<String> caches = new TreeSet<>();
        for (String name : operators()) {
            Class<?> type = Class.forName(name, false, TableCachesTest.class.getClassLoader());
            for (Field field : type.getDeclaredFields()) {
                if (Cache.class.isAssignableFrom(field.getType())
                        || LRUMap.class.isAssignableFrom(field.getType())) {
                    caches.add(name + "." + field.getName());
                }
            }
        }
        return caches;
    }

    private static List<String> operators() throws IOException, URISyntaxException {
        Path jar =
                Paths.get(
                        TableStreamOperator.class
                                .getProtectionDomain()
                                .getCodeSource()
                                .getLocation()
                                .toURI());
        try (JarFile file = new JarFile(jar.toFile())) {
            List<String> names = new ArrayList<>();
            file.stream()
                    .map(entry -> entry.getName())
                    .filter(name -> name.startsWith("org/apache/flink/table/runtime/operators/"))
                    .filter(name -> name.endsWith(".class"))
                    .map(name -> name.replace('/', '.').replace(".class", ""))
                    .filter(name -> !name.contains(REFUSED))
                    .forEach(names::add);
            return names;
        }
    }
}
