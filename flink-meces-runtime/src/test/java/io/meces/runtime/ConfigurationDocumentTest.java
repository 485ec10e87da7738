// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.description.HtmlFormatter;
import org.apache.flink.util.TimeUtils;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Keeps {@code docs/configuration.md} up to date, or writes it anew if told to. */
class ConfigurationDocumentTest {

    private static final Path FILE =
            Paths.get(System.getProperty("meces.home"), "docs", "configuration.md");
    private static final String UPDATE = "configuration.update";
    private static final String COMMAND =
            "mvn -pl flink-meces-runtime -am test -Dtest=ConfigurationDocumentTest -D"
                    + UPDATE
                    + "=true -Dsurefire.failIfNoSpecifiedTests=false";

    /** The options by what stands behind {@code meces.}, in the order of the document. */
    private static final Map<String, String> TITLES = titles();

    private static Map<String, String> titles() {
        Map<String, String> titles = new LinkedHashMap<>();
        titles.put("state", "State backend");
        titles.put("rescale", "Rescales");
        titles.put("migration", "Migration");
        titles.put("transition-service", "How state travels");
        titles.put("kafka", "Kafka, for kafka-redis");
        titles.put("redis", "Redis, for kafka-redis");
        return titles;
    }

    private static String generated;

    @BeforeAll
    static void generate() throws Exception {
        generated = document();
        if (Boolean.getBoolean(UPDATE)) {
            Files.write(FILE, generated.getBytes(StandardCharsets.UTF_8));
        }
    }

    @Test
    void theDocumentSaysWhatTheOptionsSay() throws IOException {
        assertThat(FILE)
                .as("To write it anew: " + COMMAND)
                .exists()
                .usingCharset(StandardCharsets.UTF_8)
                .hasContent(generated);
    }

    @Test
    void everyOptionHasADescription() throws Exception {
        assertThat(options().values())
                .isNotEmpty()
                .allSatisfy(
                        field ->
                                assertThat(description((ConfigOption<?>) field.get(null)))
                                        .as(field.getName())
                                        .isNotEmpty());
    }

    /** Options that other classes define would not be in the document. */
    @ParameterizedTest
    @ValueSource(classes = {MecesOptions.class, io.meces.state.MecesStateOptions.class})
    void noOtherClassDefinesOptions(Class<?> options) throws Exception {
        Path classes =
                Paths.get(options.getProtectionDomain().getCodeSource().getLocation().toURI());
        List<String> defining;
        if (Files.isDirectory(classes)) {
            defining = thoseThatDefineOptions(classes);
        } else {
            try (FileSystem jar = FileSystems.newFileSystem(classes, (ClassLoader) null)) {
                defining = thoseThatDefineOptions(jar.getPath("/"));
            }
        }
        assertThat(defining).containsExactly(options.getSimpleName() + ".class");
    }

    private static List<String> thoseThatDefineOptions(Path classes) throws IOException {
        List<String> defining = new ArrayList<>();
        try (Stream<Path> files = Files.walk(classes)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                if (file.toString().endsWith(".class")
                        && new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1)
                                .contains("org/apache/flink/configuration/ConfigOptions")) {
                    defining.add(file.getFileName().toString());
                }
            }
        }
        return defining;
    }

    private static SortedMap<String, Field> options() throws IllegalAccessException {
        SortedMap<String, Field> options = new TreeMap<>();
        for (Field field : MecesOptions.class.getFields()) {
            if (field.getType() == ConfigOption.class) {
                Field previous = options.put(((ConfigOption<?>) field.get(null)).key(), field);
                assertThat(previous).isNull();
            }
        }
        return options;
    }

    private static String document() throws IllegalAccessException {
        Map<String, StringBuilder> tables = new HashMap<>();
        for (Map.Entry<String, Field> entry : options().entrySet()) {
            String group = entry.getKey().split("\\.")[1];
            assertThat(TITLES).as(entry.getKey()).containsKey(group);
            ConfigOption<?> option = (ConfigOption<?>) entry.getValue().get(null);
            tables.computeIfAbsent(group, name -> new StringBuilder())
                    .append(row(option, entry.getValue()));
        }
        StringBuilder text = new StringBuilder("# Configuration\n\n");
        text.append("<!-- Generated from MecesOptions; do not edit. To write it anew:\n")
                .append(COMMAND)
                .append(" -->\n\n")
                .append("What can stand in `flink-conf.yaml` next to Flink's own options, or be ")
                .append("given to a process as `-Dkey=value`. It is the same on every JobManager ")
                .append("and TaskManager. Required is only the one key of the ")
                .append("[user guide](user-guide.md#install). Durations are written as `30 s`, ")
                .append("sizes as `64 mb`. State in RocksDB has [one key of its own]")
                .append("(operator-guide.md#rocksdb).\n");
        TITLES.forEach(
                (group, title) ->
                        text.append("\n## ")
                                .append(title)
                                .append("\n\n| Key | Type | Default | |\n|---|---|---|---|\n")
                                .append(tables.get(group)));
        return text.toString();
    }

    private static String row(ConfigOption<?> option, Field field) {
        return Stream.of(
                        "`" + option.key() + "`",
                        type(
                                ((ParameterizedType) field.getGenericType())
                                        .getActualTypeArguments()[0]),
                        option.hasDefaultValue() ? text(option.defaultValue()) : "none",
                        description(option))
                .map(cell -> cell.replace("|", "\\|"))
                .collect(Collectors.joining(" | ", "| ", " |\n"));
    }

    private static String description(ConfigOption<?> option) {
        return new HtmlFormatter().format(option.description());
    }

    private static String type(Type type) {
        Class<?> javaType = (Class<?>) type;
        return javaType.isEnum()
                ? Arrays.stream(javaType.getEnumConstants())
                        .map(constant -> "`" + constant + "`")
                        .collect(Collectors.joining(", "))
                : javaType.getSimpleName();
    }

    private static String text(Object value) {
        return "`"
                + (value instanceof Duration
                        ? TimeUtils.formatWithHighestUnit((Duration) value)
                        : value.toString())
                + "`";
    }
}
