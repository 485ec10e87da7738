// SPDX-License-Identifier: Apache-2.0
package io.meces.examples.keycount;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.java.typeutils.PojoTypeInfo;
import org.junit.jupiter.api.Test;

/** What the job reads and writes. */
class RecordsTest {

    @Test
    void anEventSurvivesItsBytes() {
        Event event = new Event(1, 2, 3_000_000_000_000_000L, 4, true);

        assertThat(Event.fromBytes(event.toBytes())).usingRecursiveComparison().isEqualTo(event);
        assertThat(event.toBytes()).hasSize(Event.BYTES);
    }

    @Test
    void aResultSurvivesItsBytes() {
        CountResult result = new CountResult(1, 2, 3, 4, 5, 6, true, 7, true);

        assertThat(CountResult.fromBytes(result.toBytes()))
                .usingRecursiveComparison()
                .isEqualTo(result);
        assertThat(result.toBytes()).hasSize(CountResult.BYTES);
    }

    @Test
    void bytesOfAnotherLengthAreRejected() {
        assertThatThrownBy(() -> Event.fromBytes(new byte[3]))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("3");
        assertThatThrownBy(() -> CountResult.fromBytes(new byte[CountResult.BYTES + 1]))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void flinkSerialisesRecordsWithoutKryo() {
        assertThat(TypeInformation.of(Event.class)).isInstanceOf(PojoTypeInfo.class);
        assertThat(TypeInformation.of(CountResult.class)).isInstanceOf(PojoTypeInfo.class);
    }
}
