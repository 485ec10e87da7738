// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.graph;

import io.meces.runtime.task.UserCode;
import io.meces.state.ForgetsKeys;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.annotation.Nullable;
import org.apache.flink.runtime.jobgraph.JobVertex;
import org.apache.flink.streaming.api.graph.StreamConfig;
import org.apache.flink.streaming.api.operators.SimpleOperatorFactory;
import org.apache.flink.streaming.api.operators.StreamOperatorFactory;

/**
 * Fields of users' functions and operators in which there may be values of keys. They get outdated
 * when a key leaves and comes back, which on a stock Flink cannot happen. It is a guess, by the
 * type of the field: a warning and no refusal.
 *
 * <p>Pure.
 */
final class KeyedFields {

    private static final List<String> NOT_USERS =
            Arrays.asList("java.", "javax.", "scala.", "org.apache.flink.");
    private static final String SCALA = "scala.collection.";
    private static final String MUTABLE = SCALA + "mutable.";

    /** What types of libraries are called that are neither maps nor collections of Java. */
    private static final List<String> NAMES = Arrays.asList("Cache", "Multimap");

    private KeyedFields() {}

    /** One sentence, and the remedy, for each class that has some. */
    static List<String> warnings(JobVertex vertex, ClassLoader userCode) {
        Collection<StreamConfig> chain =
                new StreamConfig(vertex.getConfiguration())
                        .getTransitiveChainedTaskConfigsWithSelf(userCode)
                        .values();
        Map<Class<?>, String> warnings = new LinkedHashMap<>();
        for (StreamConfig config : chain) {
            StreamOperatorFactory<?> factory = config.getStreamOperatorFactory(userCode);
            if (!(factory instanceof SimpleOperatorFactory)) {
                continue;
            }
            for (Object code : UserCode.of(((SimpleOperatorFactory<?>) factory).getOperator())) {
                List<String> fields = of(code);
                if (!fields.isEmpty()) {
                    warnings.put(
                            code.getClass(),
                            code.getClass().getName()
                                    + " in vertex '"
                                    + vertex.getName()
                                    + "' has the field(s) "
                                    + String.join(", ", fields)
                                    + ". If there are values of keys in it, results may be wrong"
                                    + " after a rescale, as a key may leave, change and come back."
                                    + " Keep them in state, or implement "
                                    + ForgetsKeys.class.getName()
                                    + ".");
                }
            }
        }
        return new ArrayList<>(warnings.values());
    }

    /** The names of such fields of a user's class; none if it looks after them. */
    static List<String> of(Object code) {
        List<String> names = new ArrayList<>();
        Class<?> type = code instanceof ForgetsKeys ? Object.class : code.getClass();
        for (; isUsers(type); type = type.getSuperclass()) {
            for (Field field : type.getDeclaredFields()) {
                if (!Modifier.isStatic(field.getModifiers())
                        && !field.isSynthetic()
                        && isCollection(field)
                        && !isFilled(value(field, code))) {
                    names.add(field.getName());
                }
            }
        }
        return names;
    }

    private static boolean isUsers(@Nullable Class<?> type) {
        return type != null && NOT_USERS.stream().noneMatch(type.getName()::startsWith);
    }

    /** One of Scala's that cannot change is one in a field that can. */
    private static boolean isCollection(Field field) {
        Class<?> type = field.getType();
        return Map.class.isAssignableFrom(type)
                || Collection.class.isAssignableFrom(type)
                || type.getName().startsWith(MUTABLE)
                || type.getName().startsWith(SCALA) && !Modifier.isFinal(field.getModifiers())
                || NAMES.stream().anyMatch(type.getSimpleName()::endsWith);
    }

    /** What comes with the job is a configuration. */
    private static boolean isFilled(@Nullable Object value) {
        return value instanceof Map && !((Map<?, ?>) value).isEmpty()
                || value instanceof Collection && !((Collection<?>) value).isEmpty();
    }

    @Nullable
    private static Object value(Field field, Object code) {
        try {
            field.setAccessible(true);
            return field.get(code);
        } catch (IllegalAccessException | RuntimeException e) {
            // a module that is closed, on later Javas: the type alone has to do
            return null;
        }
    }
}
