// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.rest;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import javax.annotation.Nullable;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonParser;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonToken;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.DeserializationContext;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.deser.std.StdDeserializer;

/**
 * Takes JSON values of one kind only: Jackson would make a text of a number, and a truth of a text
 * or a number.
 */
final class PlainValue<T> extends StdDeserializer<T> {
    private static final long serialVersionUID = 1L;

    private final List<JsonToken> tokens;
    @Nullable private final T absent;

    private PlainValue(Class<T> type, @Nullable T absent, JsonToken... tokens) {
        super(type);
        this.absent = absent;
        this.tokens = Arrays.asList(tokens);
    }

    static PlainValue<String> text() {
        return new PlainValue<>(String.class, null, JsonToken.VALUE_STRING);
    }

    /** Null is false. */
    static PlainValue<Boolean> truth() {
        return new PlainValue<>(Boolean.class, false, JsonToken.VALUE_TRUE, JsonToken.VALUE_FALSE);
    }

    @Override
    public T deserialize(JsonParser parser, DeserializationContext context) throws IOException {
        if (!tokens.contains(parser.currentToken())) {
            return (T) context.handleUnexpectedToken(handledType(), parser);
        }
        return (T)
                (parser.currentToken() == JsonToken.VALUE_STRING
                        ? parser.getText()
                        : (Object) parser.getBooleanValue());
    }

    @Override
    public T getNullValue(DeserializationContext context) {
        return absent;
    }
}
