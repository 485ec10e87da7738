// SPDX-License-Identifier: Apache-2.0
package io.meces.examples.nexmark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.meces.examples.load.OpenLoopSchedule;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;

/** Whether the events are those of NEXMark. */
class EventGeneratorTest {
    private static final long START = 1_700_000_000_000_000L;
    private static final int RATE = 1_000;
    private static final int EVENTS = 100_000;

    private final EventGenerator generator =
            new EventGenerator(3, new OpenLoopSchedule(START, RATE));

    private <T extends Event> List<T> events(Class<T> type) {
        return stream(type).collect(Collectors.toList());
    }

    private <T extends Event> Stream<T> stream(Class<T> type) {
        return LongStream.range(0, EVENTS)
                .mapToObj(generator::event)
                .filter(type::isInstance)
                .map(type::cast);
    }

    @Test
    void thereAreThreeAuctionsAndFortySixBidsForEachPerson() {
        assertThat(stream(Person.class).count()).isEqualTo(EVENTS / 50);
        assertThat(stream(Auction.class).count()).isEqualTo(EVENTS / 50 * 3);
        assertThat(stream(Bid.class).count()).isEqualTo(EVENTS / 50 * 46);
    }

    @Test
    void eventsHaveTheirAverageSizes() {
        assertThat(averageBytes(Person.class)).isCloseTo(200, Percentage.withPercentage(15));
        assertThat(averageBytes(Auction.class)).isCloseTo(500, Percentage.withPercentage(5));
        assertThat(averageBytes(Bid.class)).isCloseTo(100, Percentage.withPercentage(5));
    }

    private double averageBytes(Class<? extends Event> type) {
        return stream(type).mapToInt(event -> event.toBytes().length).average().getAsDouble();
    }

    @Test
    void personsAndAuctionsAreNumberedWithoutGaps() {
        assertThat(stream(Person.class).map(person -> person.id))
                .containsExactlyElementsOf(numbers(EVENTS / 50));
        assertThat(stream(Auction.class).map(auction -> auction.id))
                .containsExactlyElementsOf(numbers(EVENTS / 50 * 3));
    }

    private static List<Long> numbers(int count) {
        return LongStream.range(1_000, 1_000 + count).boxed().collect(Collectors.toList());
    }

    @Test
    void anEventDependsOnItsNumberAndTheSeedOnly() {
        EventGenerator same = new EventGenerator(3, new OpenLoopSchedule(START, RATE));
        EventGenerator other = new EventGenerator(4, new OpenLoopSchedule(START, RATE));
        for (int n = 199; n >= 0; n--) {
            assertThat(same.event(n).toBytes()).isEqualTo(generator.event(n).toBytes());
            assertThat(other.event(n).toBytes()).isNotEqualTo(generator.event(n).toBytes());
        }
    }

    @Test
    void eventTimeFollowsTheSchedule() {
        assertThat(generator.event(0).timeMicros).isEqualTo(START);
        assertThat(generator.event(2_500).timeMicros).isEqualTo(START + 2_500_000);
        assertThat(generator.event(2_500).time()).isEqualTo(START / 1_000 + 2_500);
    }

    /** A hot one is chosen by the other half at random, too, but seldom. */
    @Test
    void halfOfTheBidsAreForTheHotAuctionAndThreeQuartersByTheHotBidder() {
        List<Bid> bids = events(Bid.class);

        assertThat(share(bids.stream().filter(bid -> bid.auction % 100 == 0).count(), bids))
                .isCloseTo(0.5, within(0.02));
        assertThat(share(bids.stream().filter(bid -> bid.bidder % 100 == 1).count(), bids))
                .isCloseTo(0.75, within(0.02));
    }

    @Test
    void threeQuartersOfTheAuctionsAreByTheHotSeller() {
        List<Auction> auctions = events(Auction.class);

        assertThat(share(auctions.stream().filter(a -> a.seller % 100 == 0).count(), auctions))
                .isCloseTo(0.75, within(0.02));
    }

    private static double share(long part, List<?> all) {
        return (double) part / all.size();
    }

    @Test
    void bidsAreForAuctionsInFlightOrTheNextOnes() {
        long last = 0;
        for (int n = 0; n < EVENTS; n++) {
            Event event = generator.event(n);
            if (event instanceof Auction) {
                last = ((Auction) event).id;
            } else if (event instanceof Bid) {
                assertThat(((Bid) event).auction).isBetween(last - 100, last + 10);
            }
        }
    }

    @Test
    void anAuctionLastsOnAverageUntilAHundredOthersHaveBegun() {
        double average =
                stream(Auction.class).mapToLong(a -> a.expires - a.time()).average().getAsDouble();

        assertThat(average).isCloseTo(100.0 * 50 / 3 * 1_000 / RATE, Percentage.withPercentage(5));
        assertThat(stream(Auction.class)).allMatch(a -> a.expires > a.time());
        assertThat(stream(Auction.class)).allMatch(a -> a.reserve > a.initialBid);
    }

    @Test
    void thereAreFiveCategories() {
        assertThat(stream(Auction.class).map(auction -> auction.category).distinct())
                .containsExactlyInAnyOrder(10L, 11L, 12L, 13L, 14L);
    }
}
