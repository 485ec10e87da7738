// SPDX-License-Identifier: Apache-2.0
package io.meces.cli.rest;

import com.fasterxml.jackson.annotation.JsonAutoDetect.Visibility;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.PropertyAccessor;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;

/**
 * The JSON of the values of {@code io.meces.api}, by the rule that is told there. Lenient: of a
 * JobManager of a later version it reads what it knows.
 */
final class ApiJson extends ObjectMapper {
    private static final long serialVersionUID = 1L;

    ApiJson() {
        setVisibility(PropertyAccessor.ALL, Visibility.NONE);
        setVisibility(PropertyAccessor.FIELD, Visibility.ANY);
        setPropertyNamingStrategy(PropertyNamingStrategies.KEBAB_CASE);
        setSerializationInclusion(JsonInclude.Include.NON_NULL);
        disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);
        enable(DeserializationFeature.READ_UNKNOWN_ENUM_VALUES_AS_NULL);
    }
}
