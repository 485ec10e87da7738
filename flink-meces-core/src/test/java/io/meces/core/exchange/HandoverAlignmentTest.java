// SPDX-License-Identifier: Apache-2.0
package io.meces.core.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class HandoverAlignmentTest {

    private final HandoverAlignment<String> alignment = new HandoverAlignment<>(4);

    @Test
    void readsOnAtOnceWhereTheDonorHasBeenRead() {
        alignment.onHandedOver(0, new Handover(5, 2));
        alignment.onTakenOver(1, 0, new Handover(5, 1));
        alignment.onTakenOver(2, 0, new Handover(5, 2));
        assertThat(alignment.mayRead(1)).isTrue();
        assertThat(alignment.mayRead(2)).isTrue();
    }

    @Test
    void keepsWhatComesBeforeTheDonorHasBeenRead() {
        alignment.onTakenOver(1, 0, new Handover(5, 2));
        assertThat(alignment.mayRead(1)).isFalse();
        assertThat(alignment.mayRead(0)).isTrue();
        alignment.keep(1, "a");
        alignment.keep(1, "b");
        alignment.onHandedOver(0, new Handover(5, 1));
        assertThat(alignment.hasReadable()).isFalse();
        assertThat(alignment.poll()).isNull();
        alignment.onHandedOver(0, new Handover(5, 2));
        assertThat(alignment.mayRead(1)).as("what is kept comes first").isFalse();
        assertThat(readable()).containsExactly("a", "b");
        assertThat(alignment.mayRead(1)).isTrue();
    }

    @Test
    void waitsAnewForWhatIsKept() {
        alignment.onTakenOver(1, 0, new Handover(5, 1));
        alignment.keep(1, "taken over 5/1 of 2");
        alignment.keep(1, "a");
        alignment.onHandedOver(0, new Handover(5, 1));
        assertThat(alignment.poll()).isEqualTo("taken over 5/1 of 2");
        alignment.onTakenOver(1, 2, new Handover(5, 1));
        assertThat(alignment.hasReadable()).isFalse();
        assertThat(alignment.kept(1)).isOne();
        alignment.onHandedOver(2, new Handover(5, 1));
        assertThat(readable()).containsExactly("a");
    }

    @Test
    void aPlaceOfAnEarlierAttemptIsNotThatOfALaterOneWithTheSameIndex() {
        alignment.onHandedOver(0, new Handover(5, 7));
        // from the attempt that came under index 0 after that one had left
        alignment.onTakenOver(1, 0, new Handover(9, 1));
        assertThat(alignment.mayRead(1)).isFalse();
        // of the former one, in a channel that is read late
        alignment.onTakenOver(2, 0, new Handover(5, 6));
        assertThat(alignment.mayRead(2)).isTrue();
        alignment.onHandedOver(0, new Handover(9, 1));
        assertThat(alignment.mayRead(1)).isTrue();
    }

    @Test
    void aBarrierCountsForThoseWhoWaitForItsChannel() {
        alignment.onTakenOver(1, 0, new Handover(5, 1));
        alignment.onTakenOver(2, 1, new Handover(5, 1));
        alignment.onBarrier(3, 10);
        assertThat(alignment.withBarrierOfDonor(10).isEmpty()).as("nobody waits for it").isTrue();
        alignment.onBarrier(0, 10);
        assertThat(alignment.withBarrierOfDonor(10).stream().toArray()).containsExactly(1, 2);
        assertThat(alignment.withBarrierOfDonor(10).isEmpty()).as("told once").isTrue();
        assertThat(alignment.withBarrierOfDonor(11).isEmpty()).isTrue();
    }

    @Test
    void aBarrierCountsForWhoeverBeginsToWaitAfterIt() {
        alignment.onBarrier(0, 10);
        alignment.onTakenOver(1, 0, new Handover(5, 1));
        assertThat(alignment.withBarrierOfDonor(10).stream().toArray()).containsExactly(1);
    }

    @Test
    void aBarrierThatHasComeCountsOnce() {
        alignment.onBarrier(1, 10);
        alignment.onTakenOver(1, 0, new Handover(5, 1));
        alignment.onBarrier(0, 10);
        assertThat(alignment.withBarrierOfDonor(10).isEmpty()).isTrue();
    }

    @Test
    void givesAwayWhatIsKeptInTheEnd() {
        alignment.onTakenOver(1, 0, new Handover(5, 1));
        alignment.keep(1, "a");
        assertThat(alignment.takeAll()).containsExactly("a");
        assertThat(alignment.kept(1)).isZero();
    }

    private List<String> readable() {
        List<String> all = new ArrayList<>();
        while (alignment.hasReadable()) {
            all.add(alignment.poll());
        }
        return all;
    }
}
