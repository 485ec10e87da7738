// SPDX-License-Identifier: Apache-2.0
package io.meces.examples.nexmark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.meces.examples.load.OpenLoopSchedule;
import java.io.IOException;
import java.util.Arrays;
import java.util.stream.Stream;
import org.apache.flink.api.common.ExecutionConfig;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.api.java.typeutils.PojoTypeInfo;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What the job reads, writes and keeps. */
class EventsTest {

    static Stream<Event> events() {
        EventGenerator generator = new EventGenerator(1, new OpenLoopSchedule(1_000_000, 10));
        return Stream.of(
                generator.event(0),
                generator.event(1),
                generator.event(4),
                new Marker(1, 2),
                new WinningBid(1, 2, 3, 4, 5, 6, 7, 8),
                new BidCount(1, 2, 3, 4),
                new PriceSum(1, 2, 3));
    }

    @Test
    void allKindsAreTested() {
        assertThat(events().map(Event::kind)).containsExactly(Event.Kind.values());
    }

    @ParameterizedTest
    @MethodSource("events")
    void anEventSurvivesItsBytes(Event event) throws Exception {
        assertThat(Event.fromBytes(event.toBytes()))
                .hasSameClassAs(event)
                .usingRecursiveComparison()
                .isEqualTo(event);
    }

    @ParameterizedTest
    @MethodSource("events")
    void anEventSurvivesFlinksSerializer(Event event) throws Exception {
        TypeSerializer<Event> serializer = EventType.ANY.createSerializer(new ExecutionConfig());
        DataOutputSerializer out = new DataOutputSerializer(8);
        serializer.serialize(event, out);
        DataOutputSerializer copy = new DataOutputSerializer(8);
        serializer.copy(new DataInputDeserializer(out.getCopyOfBuffer()), copy);

        assertThat(copy.getCopyOfBuffer()).isEqualTo(event.toBytes());
        assertThat(serializer.deserialize(new DataInputDeserializer(copy.getCopyOfBuffer())))
                .usingRecursiveComparison()
                .isEqualTo(event);
    }

    @Test
    void theSerializerOfACheckpointIsThatOfTheJob() {
        TypeSerializer<Event> serializer = EventType.ANY.createSerializer(new ExecutionConfig());
        TypeSerializerSnapshot<Event> snapshot = serializer.snapshotConfiguration();

        assertThat(snapshot.resolveSchemaCompatibility(serializer).isCompatibleAsIs()).isTrue();
    }

    @Test
    void bytesThatAreNoEventAreRejected() {
        byte[] bytes = new Marker(1, 2).toBytes();

        assertThatThrownBy(() -> Event.fromBytes(Arrays.copyOf(bytes, bytes.length + 1)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("1 bytes behind");
        assertThatThrownBy(() -> Event.fromBytes(Arrays.copyOf(bytes, bytes.length - 1)))
                .isInstanceOf(IOException.class);
        bytes[0] = 99;
        assertThatThrownBy(() -> Event.fromBytes(bytes))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("99");
    }

    @Test
    void aResultSurvivesItsBytes() {
        Result line = Result.line(1_000_000, "ä", 2L);
        Result marker = Result.marker(new Marker(3, 4));

        assertThat(line.line).isEqualTo("ä 2");
        assertThat(Result.fromBytes(line.toBytes())).usingRecursiveComparison().isEqualTo(line);
        assertThat(Result.fromBytes(marker.toBytes())).usingRecursiveComparison().isEqualTo(marker);
        assertThat(marker.marker).isTrue();
        assertThatThrownBy(() -> Result.fromBytes(new byte[16]))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("16");
    }

    @Test
    void flinkSerialisesResultsWithoutKryo() {
        assertThat(TypeInformation.of(Result.class)).isInstanceOf(PojoTypeInfo.class);
    }
}
