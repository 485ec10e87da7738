// SPDX-License-Identifier: Apache-2.0
package io.meces.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.Serializer;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.Output;
import io.meces.flink.state.TestBackends;
import java.io.File;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.sql.Timestamp;
import java.time.Clock;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.Month;
import java.time.MonthDay;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.Period;
import java.time.Year;
import java.time.YearMonth;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.Currency;
import java.util.Date;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.PriorityQueue;
import java.util.TimeZone;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;
import org.apache.flink.api.common.ExecutionConfig;
import org.apache.flink.api.common.typeinfo.TypeHint;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.api.java.typeutils.runtime.kryo.KryoSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class LossyValuesTest {

    private final ExecutionConfig config = new ExecutionConfig();

    @ParameterizedTest
    @EnumSource
    void kryoChangesEachSample(LossyValues.Sample sample) {
        KryoSerializer<?> kryo = TestBackends.kryo(sample.type, config);
        if (TestBackends.notChangedByKryo().contains(sample.name())) {
            assertThat(sample.change(kryo)).isNull();
            assertThat(LossyValues.of(kryo)).isEmpty();
            return;
        }
        assertThat(sample.change(kryo)).contains(" becomes ");
        assertThat(LossyValues.of(kryo))
                .singleElement()
                .asString()
                .startsWith("a value is a " + sample.type.getName());
    }

    /** Others of the JDK come back as they were. */
    @ParameterizedTest
    @MethodSource("valuesThatStay")
    void kryoKeeps(Object value) {
        KryoSerializer<?> kryo = TestBackends.kryo(value.getClass(), config);
        Object after = LossyValues.trip(value, kryo);
        assertThat(after).hasSameClassAs(value).hasToString(value.toString());
        assertThat(LossyValues.of(kryo)).isEmpty();
    }

    private static List<Object> valuesThatStay() {
        BitSet bits = new BitSet();
        bits.set(70);
        List<Integer> list = new ArrayList<>(Arrays.asList(1, 2));
        Map<Integer, Integer> map = new HashMap<>(Collections.singletonMap(1, 2));
        return Arrays.asList(
                Duration.ofSeconds(3, 7),
                Instant.ofEpochSecond(3, 7),
                LocalDate.of(2020, 1, 2),
                LocalTime.of(1, 2, 3, 4),
                LocalDateTime.of(2020, 1, 2, 3, 4),
                ZoneId.of("Europe/Berlin"),
                Year.of(2020),
                YearMonth.of(2020, 1),
                MonthDay.of(1, 2),
                Period.of(1, 2, 3),
                DayOfWeek.FRIDAY,
                Month.MAY,
                ChronoUnit.DAYS,
                bits,
                URI.create("http://host/page"),
                Locale.GERMANY,
                Currency.getInstance("EUR"),
                TimeZone.getTimeZone("Europe/Berlin"),
                Optional.of("x"),
                OptionalLong.of(3),
                Collections.unmodifiableList(list),
                Collections.unmodifiableMap(map),
                Collections.unmodifiableCollection(list),
                Collections.synchronizedList(list),
                Collections.singletonList(1),
                Collections.emptyList(),
                Arrays.asList(1, 2),
                new EnumMap<>(Collections.singletonMap(Month.MAY, 1)),
                EnumSet.of(Month.MAY),
                Pattern.compile("a+", Pattern.CASE_INSENSITIVE),
                new AtomicInteger(3),
                new AtomicLong(3),
                new AtomicBoolean(true),
                new AtomicReference<>("x"),
                new BigDecimal("1.20"),
                BigInteger.TEN,
                UUID.fromString("123e4567-e89b-12d3-a456-426614174000"),
                new Date(5),
                new Timestamp(5),
                StandardCharsets.UTF_8,
                new File("/a"),
                new StringBuilder("ab"),
                new ArrayDeque<>(list),
                new PriorityQueue<>(list),
                new LinkedList<>(list),
                new TreeMap<>(map),
                new TreeSet<>(list),
                new LinkedHashMap<>(map),
                new ConcurrentHashMap<>(map),
                new CopyOnWriteArrayList<>(list));
    }

    // ------------------------------------------------------------------------
    //  Where they are
    // ------------------------------------------------------------------------

    /** A POJO. */
    public static class Order {
        public int id;
        public OffsetDateTime at;
        public Delivery delivery;
    }

    /** No POJO. */
    @SuppressWarnings("unused")
    static final class Delivery {
        private final Map<String, OffsetTime[]> slots = new HashMap<>();
        private transient Clock clock;
        private static final ZoneOffset ZONE = ZoneOffset.UTC;
        private Delivery next;
    }

    private TypeSerializer<?> serializer(TypeInformation<?> type) {
        return TestBackends.serializer(type, config);
    }

    @Test
    void fieldsOfPojosAndWithinWhatGoesThroughKryoAreFound() {
        assumeFalse(TestBackends.notChangedByKryo().contains("OFFSET_DATE_TIME"));
        assertThat(LossyValues.of(serializer(Types.POJO(Order.class))))
                .hasSize(2)
                .anySatisfy(s -> assertThat(s).startsWith("field 'at' is a java.time.OffsetDateT"))
                .anySatisfy(s -> assertThat(s).startsWith("field 'delivery.slots' is a java.time"));
    }

    @Test
    void elementsOfListsMapsAndTuplesAreFound() {
        assumeFalse(TestBackends.notChangedByKryo().contains("ZONE_OFFSET"));
        for (TypeInformation<?> type :
                Arrays.asList(
                        Types.LIST(Types.GENERIC(ZoneOffset.class)),
                        Types.MAP(Types.STRING, Types.GENERIC(ZoneOffset.class)),
                        TypeInformation.of(new TypeHint<Tuple2<Integer, ZoneOffset>>() {}))) {
            assertThat(LossyValues.of(serializer(type)))
                    .singleElement()
                    .asString()
                    .contains("java.time.ZoneOffset", "-03:00 becomes null");
        }
        assertThat(LossyValues.of(serializer(Types.LIST(Types.INSTANT)))).isEmpty();
    }

    @Test
    void whoRegistersASerializerIsNotWarned() {
        TestBackends.addKryoSerializer(config, OffsetDateTime.class, Texts.class);
        TestBackends.addKryoSerializer(config, Delivery.class, Texts.class);
        assertThat(LossyValues.of(serializer(Types.POJO(Order.class)))).isEmpty();
    }

    /** Of times, as text. */
    @SuppressWarnings({"rawtypes", "unchecked"}) // Kryo's releases differ in the bound of the type
    public static final class Texts extends Serializer {

        @Override
        public void write(Kryo kryo, Output output, Object time) {
            output.writeString(time.toString());
        }

        @Override
        public Object read(Kryo kryo, Input input, Class type) {
            return OffsetDateTime.parse(input.readString());
        }
    }
}
