// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.rest;

import io.meces.api.Elasticity;
import io.meces.api.KeyGroups;
import io.meces.api.RescaleDetails;
import io.meces.api.RescalePlans;
import io.meces.api.RescaleRequest;
import io.meces.api.ResourceRequirements;
import io.meces.core.plan.Repartitioning;
import io.meces.flink.runtime.ConfigurationBody;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.annotation.Nullable;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.rest.messages.EmptyResponseBody;
import org.apache.flink.runtime.rest.messages.ResponseBody;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ArrayNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * The JSON schemas of the values of {@code io.meces.api}, and of other answers, by their fields, as
 * {@link StrictJson} reads and writes them. Not thread-safe.
 */
final class JsonSchemas {

    private static final String REQUEST = "Member of the request";
    private static final String ID = "^[0-9a-fA-F]{32}$";

    /** Where the document has a table of the members, by the class that has them. */
    private static final Map<Class<?>, String[]> TABLES = new HashMap<>();

    static {
        table(Elasticity.class, "GET /jobs/:jobid/elasticity", "Member");
        table(KeyGroups.class, "GET /jobs/:jobid/vertices/:vertexid/key-groups", "Member");
        table(RescaleRequest.class, "POST /jobs/:jobid/rescales", REQUEST);
        table(RescalePlans.class, "POST /jobs/:jobid/rescales", "Member of the plan");
        table(RescaleDetails.class, "GET /jobs/:jobid/rescales/:rescaleid", "Member");
        table(RescaleEvent.class, "GET /jobs/:jobid/rescales/history", "Member");
    }

    private static void table(Class<?> type, String heading, String title) {
        TABLES.put(type, new String[] {heading, title});
    }

    private final ObjectMapper mapper = new ObjectMapper();
    private final ObjectNode schemas = mapper.createObjectNode();
    private final RestDocument document;

    JsonSchemas(RestDocument document) {
        this.document = document;
    }

    /** All that were asked for, by name. */
    ObjectNode all() {
        return schemas;
    }

    /** That of a value; the class is described among {@link #all} if it has members. */
    ObjectNode of(Type type) {
        return of(type, Collections.emptyMap(), "");
    }

    /** That of the errors of all routes. */
    ObjectNode errors() {
        if (!schemas.has("Errors")) {
            ObjectNode errors = schemas.putObject("Errors").put("type", "object");
            errors.putArray("required").add("errors");
            ObjectNode list = errors.putObject("properties").putObject("errors");
            list.put("description", "The reason, for a human.").put("type", "array");
            list.put("minItems", 1).putObject("items").put("type", "string");
        }
        return reference("Errors");
    }

    private ObjectNode of(Type type, Map<String, String> words, String path) {
        if (type instanceof ParameterizedType) {
            ParameterizedType generic = (ParameterizedType) type;
            Type[] arguments = generic.getActualTypeArguments();
            Type element = arguments[arguments.length - 1];
            boolean list = Collection.class.isAssignableFrom((Class<?>) generic.getRawType());
            ObjectNode schema = mapper.createObjectNode().put("type", list ? "array" : "object");
            schema.set(
                    list ? "items" : "additionalProperties",
                    of(element, words, list ? path + "[]" : path + ".<>"));
            return schema;
        }
        return of((Class<?>) type, words, path);
    }

    private ObjectNode of(Class<?> type, Map<String, String> words, String path) {
        if (type == int.class || type == Integer.class) {
            return number("integer", "int32");
        } else if (type == long.class || type == Long.class) {
            return number("integer", "int64");
        } else if (type == double.class || type == Double.class) {
            return number("number", "double");
        } else if (type == boolean.class) {
            return mapper.createObjectNode().put("type", "boolean");
        } else if (type == String.class) {
            return mapper.createObjectNode().put("type", "string");
        } else if (type == Object.class) {
            return mapper.createObjectNode();
        } else if (type == EmptyResponseBody.class) {
            return mapper.createObjectNode().put("type", "object");
        } else if (type.isEnum()) {
            ObjectNode schema = mapper.createObjectNode().put("type", "string");
            ArrayNode values = schema.putArray("enum");
            for (Object constant : type.getEnumConstants()) {
                values.add(((Enum<?>) constant).name());
            }
            return schema;
        } else if (type == RescaleHistory.class) {
            ObjectNode schema = mapper.createObjectNode().put("type", "array");
            schema.set("items", of(RescaleEvent.class, words, path));
            return schema;
        }
        String name = name(type);
        if (!schemas.has(name)) {
            if (type == ResourceRequirements.class) {
                requirements(schemas.putObject(name));
            } else if (type == ConfigurationBody.of(new Configuration()).getClass()) {
                configuration(schemas.putObject(name));
            } else {
                String[] table = TABLES.get(type);
                members(
                        schemas.putObject(name),
                        type,
                        table == null ? words : document.members(table[0], table[1]),
                        table == null ? path : "");
            }
        }
        return reference(name);
    }

    private ObjectNode number(String type, String format) {
        return mapper.createObjectNode().put("type", type).put("format", format);
    }

    private static String name(Class<?> type) {
        if (type == ConfigurationBody.of(new Configuration()).getClass()) {
            return "Configuration";
        }
        Class<?> outer = type.getEnclosingClass();
        return (outer == null ? "" : outer.getSimpleName()) + type.getSimpleName();
    }

    private ObjectNode reference(String name) {
        return mapper.createObjectNode().put("$ref", "#/components/schemas/" + name);
    }

    private void members(ObjectNode schema, Class<?> type, Map<String, String> words, String path) {
        boolean request = RescaleRequest.class.getName().equals(type.getName().split("\\$")[0]);
        schema.put("type", "object");
        List<String> required = new ArrayList<>();
        ObjectNode properties = schema.putObject("properties");
        for (Map.Entry<String, Field> member : fields(type).entrySet()) {
            String name = member.getKey();
            Field field = member.getValue();
            String place = path.isEmpty() ? name : path + "." + name;
            ObjectNode value = of(field.getGenericType(), words, place);
            if (request) {
                limit(type, name, value);
            }
            boolean asked = type == RescaleRequest.Target.class || name.equals("vertices");
            boolean absent =
                    field.isAnnotationPresent(Nullable.class)
                            || request && field.getType() == boolean.class;
            if (absent && !(request && asked)) {
                value = orNull(value);
            }
            if (words.containsKey(place)) {
                value.put("description", words.get(place));
            }
            properties.set(name, value);
            if (!request || name.equals("vertices") || name.equals("parallelism")) {
                required.add(name);
            }
        }
        if (request) {
            schema.put("additionalProperties", false);
        }
        if (type == RescaleRequest.Target.class) {
            ArrayNode either = schema.putArray("oneOf");
            either.addObject().putArray("required").add("id");
            either.addObject().putArray("required").add("name");
        }
        if (!required.isEmpty()) {
            required.forEach(schema.putArray("required")::add);
        }
    }

    /** What {@link RescaleRequest#validate} looks at, and a vertex or a strategy that there is. */
    private static void limit(Class<?> type, String name, ObjectNode schema) {
        if (name.equals("vertices")) {
            schema.put("minItems", 1);
        } else if (name.equals("parallelism") || name.equals("batch-size")) {
            schema.put("minimum", 1);
        } else if (name.equals("strategy")) {
            ArrayNode names = schema.putArray("enum");
            Repartitioning.names().forEach(names::add);
        } else if (type == RescaleRequest.Target.class && name.equals("id")) {
            schema.put("pattern", ID);
        }
    }

    /** Also null. */
    private ObjectNode orNull(ObjectNode schema) {
        ObjectNode either = mapper.createObjectNode();
        if (schema.has("$ref")) {
            either.putArray("anyOf").add(schema).addObject().put("type", "null");
            return either;
        }
        either.putArray("type").add(schema.path("type").asText()).add("null");
        schema.remove("type");
        either.setAll(schema);
        if (either.has("enum")) {
            ((ArrayNode) either.path("enum")).addNull();
        }
        return either;
    }

    /** By their names in JSON, those of the class above first. */
    private static Map<String, Field> fields(Class<?> type) {
        Map<String, Field> fields = new LinkedHashMap<>();
        if (type.getSuperclass() != Object.class) {
            fields.putAll(fields(type.getSuperclass()));
        }
        boolean flinks =
                type.getPackage().equals(RescaleEvent.class.getPackage())
                        || ResponseBody.class.isAssignableFrom(type);
        for (Field field : type.getDeclaredFields()) {
            if (!Modifier.isStatic(field.getModifiers()) && !field.isSynthetic()) {
                fields.put(flinks ? field.getName() : kebab(field.getName()), field);
            }
        }
        return fields;
    }

    private static String kebab(String name) {
        StringBuilder kebab = new StringBuilder();
        for (char letter : name.toCharArray()) {
            if (Character.isUpperCase(letter)) {
                kebab.append('-');
            }
            kebab.append(Character.toLowerCase(letter));
        }
        return kebab.toString();
    }

    /** {@link RequirementsJson}. */
    private void requirements(ObjectNode schema) {
        schema.put("type", "object").put("description", "By the id of the vertex.");
        schema.putObject("propertyNames").put("pattern", ID);
        ObjectNode vertex = schema.putObject("additionalProperties").put("type", "object");
        vertex.putArray("required").add("parallelism");
        vertex.put("additionalProperties", false);
        ObjectNode bounds = vertex.putObject("properties").putObject("parallelism");
        bounds.put("type", "object").putArray("required").add("lowerBound").add("upperBound");
        bounds.put("additionalProperties", false);
        ObjectNode members = bounds.putObject("properties");
        members.set("lowerBound", number("integer", "int32").put("minimum", 1));
        members.set("upperBound", number("integer", "int32").put("minimum", 1));
        bounds.put("description", "1 <= lowerBound <= upperBound");
    }

    private void configuration(ObjectNode schema) {
        ObjectNode entry = schema.put("type", "array").putObject("items").put("type", "object");
        entry.putArray("required").add("key").add("value");
        entry.putObject("properties").putObject("key").put("type", "string");
        ((ObjectNode) entry.path("properties")).putObject("value").put("type", "string");
    }
}
