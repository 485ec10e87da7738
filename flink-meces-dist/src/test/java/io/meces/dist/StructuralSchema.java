// SPDX-License-Identifier: Apache-2.0
package io.meces.dist;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/**
 * What an API server of Kubernetes would say of a resource, by the schema in its
 * CustomResourceDefinition: types, values, what is required, and what is unknown, which it would
 * drop in silence. Has no state.
 */
final class StructuralSchema {

    private StructuralSchema() {}

    /** What does not fit, with its place; empty if all does. */
    static List<String> problems(JsonNode value, JsonNode schema, String place) {
        List<String> problems = new ArrayList<>();
        check(value, schema, place, problems);
        return problems;
    }

    private static void check(
            JsonNode value, JsonNode schema, String place, List<String> problems) {
        if (schema.path("x-kubernetes-int-or-string").asBoolean()) {
            require(value.isInt() || value.isTextual(), place + " is no number or text", problems);
            return;
        }
        String type = schema.path("type").asText();
        require(isOf(value, type), place + " is no " + type, problems);
        if (schema.has("enum")) {
            boolean known = false;
            for (JsonNode constant : schema.path("enum")) {
                known |= constant.equals(value);
            }
            require(known, place + " is " + value, problems);
        }
        for (JsonNode name : schema.path("required")) {
            require(value.has(name.asText()), place + " has no " + name.asText(), problems);
        }
        if (value.isArray()) {
            for (int i = 0; i < value.size(); i++) {
                check(value.get(i), schema.path("items"), place + "[" + i + "]", problems);
            }
        } else if (value.isObject()) {
            members(value, schema, place, problems);
        }
    }

    private static void members(
            JsonNode value, JsonNode schema, String place, List<String> problems) {
        boolean open = schema.path("x-kubernetes-preserve-unknown-fields").asBoolean();
        Iterator<Map.Entry<String, JsonNode>> members = value.fields();
        while (members.hasNext()) {
            Map.Entry<String, JsonNode> member = members.next();
            String name = place + "." + member.getKey();
            if (schema.path("properties").has(member.getKey())) {
                check(
                        member.getValue(),
                        schema.path("properties").path(member.getKey()),
                        name,
                        problems);
            } else if (schema.path("additionalProperties").isObject()) {
                check(member.getValue(), schema.path("additionalProperties"), name, problems);
            } else {
                require(open, name + " is unknown", problems);
            }
        }
    }

    private static boolean isOf(JsonNode value, String type) {
        switch (type) {
            case "object":
                return value.isObject();
            case "array":
                return value.isArray();
            case "string":
                return value.isTextual();
            case "boolean":
                return value.isBoolean();
            case "integer":
                return value.isIntegralNumber();
            case "number":
                return value.isNumber();
            default:
                return type.isEmpty();
        }
    }

    private static void require(boolean condition, String problem, List<String> problems) {
        if (!condition) {
            problems.add(problem);
        }
    }
}
