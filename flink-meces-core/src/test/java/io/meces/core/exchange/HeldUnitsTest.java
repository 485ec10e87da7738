// SPDX-License-Identifier: Apache-2.0
package io.meces.core.exchange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class HeldUnitsTest {

    private final HeldUnits<String> held = new HeldUnits<>();

    @Test
    void oneDrainCountsForAllThatWaitWhenItBegins() {
        assertThat(held.needsDrain()).isFalse();
        held.hold("a");
        held.hold("b");
        assertThat(held.needsDrain()).isTrue();
        assertThat(sendable()).isEmpty();
        held.beginDrain();
        assertThat(sendable()).isEmpty();
        held.endDrain();
        assertThat(sendable()).containsExactly("a", "b");
        assertThat(held.all()).isEmpty();
    }

    @Test
    void whatComesWhileOneRunsWaitsForTheNext() {
        held.hold("a");
        held.beginDrain();
        held.hold("b");
        assertThat(held.needsDrain()).as("one runs").isFalse();
        assertThatThrownBy(held::beginDrain).isInstanceOf(MigrationProtocolException.class);
        held.endDrain();
        assertThat(sendable()).containsExactly("a");
        assertThat(held.needsDrain()).isTrue();
        held.beginDrain();
        held.endDrain();
        assertThat(sendable()).containsExactly("b");
        assertThatThrownBy(held::endDrain).isInstanceOf(MigrationProtocolException.class);
    }

    @Test
    void findsAUnitWhereverItStands() {
        held.hold("a");
        held.beginDrain();
        held.endDrain();
        held.hold("b");
        held.beginDrain();
        held.hold("c");
        for (String unit : new String[] {"a", "b", "c"}) {
            assertThat(held.find(unit::equals)).isEqualTo(unit);
        }
        assertThat(held.find("d"::equals)).isNull();
        assertThat(held.all()).containsExactlyInAnyOrder("a", "b", "c");
    }

    @Test
    void givesThoseThatMeetACondition() {
        held.hold("a");
        held.hold("b");
        held.beginDrain();
        held.endDrain();
        assertThat(held.hasSendable("c"::equals)).isFalse();
        assertThat(held.hasSendable("b"::equals)).isTrue();
        assertThat(held.pollSendable("b"::equals)).isEqualTo("b");
        assertThat(held.pollSendable("b"::equals)).isNull();
        assertThat(sendable()).containsExactly("a");
    }

    private List<String> sendable() {
        List<String> all = new ArrayList<>();
        while (held.hasSendable(unit -> true)) {
            all.add(held.pollSendable(unit -> true));
        }
        return all;
    }
}
