// SPDX-License-Identifier: Apache-2.0
package io.meces.examples.nexmark;

import io.meces.examples.load.OpenLoopSchedule;
import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;

/**
 * Makes the events of NEXMark with the proportions and distributions of Apache Beam's generator.
 * Event n depends on nothing but the seed, the schedule and n, so anybody can make it. Thread-safe.
 *
 * <p>Of 50 events in a row the first is a person, the next three are auctions and the others bids.
 */
public final class EventGenerator {
    static final int PERSONS = 1;
    static final int AUCTIONS = 3;
    static final int BIDS = 46;
    static final int EPOCH = PERSONS + AUCTIONS + BIDS;

    static final int PERSON_BYTES = 200;
    static final int AUCTION_BYTES = 500;
    static final int BID_BYTES = 100;

    static final long FIRST_PERSON = 1_000;
    static final long FIRST_AUCTION = 1_000;
    static final long FIRST_CATEGORY = 10;
    static final int CATEGORIES = 5;

    /** One in so many bids is not for the hot auction, and so on. */
    static final int HOT_AUCTION_RATIO = 2;

    static final int HOT_SELLER_RATIO = 4;
    static final int HOT_BIDDER_RATIO = 4;

    /** One of so many auctions or persons in a row is the hot one. */
    static final int HOT_STRIDE = 100;

    static final int AUCTIONS_IN_FLIGHT = 100;
    static final int ACTIVE_PERSONS = 1_000;

    /** References may be to the next so many auctions or persons that do not exist yet. */
    static final int LEAD = 10;

    private static final String[] FIRST_NAMES = {
        "Anna", "Boris", "Clara", "David", "Emma", "Felix", "Greta", "Hugo", "Ida", "Jonas", "Karla"
    };
    private static final String[] LAST_NAMES = {
        "Adams", "Baker", "Cole", "Dixon", "Ellis", "Foster", "Grant", "Hayes", "Irving"
    };
    private static final String[] CITIES = {
        "Phoenix",
        "Los-Angeles",
        "San-Francisco",
        "Boise",
        "Portland",
        "Bend",
        "Redmond",
        "Seattle",
        "Kent",
        "Cheyenne"
    };
    private static final String[] STATES = {"AZ", "CA", "ID", "OR", "WA", "WY"};

    private final long seed;
    private final OpenLoopSchedule schedule;

    /**
     * A generator.
     *
     * @param seed other seeds give other events
     * @param schedule when the events occur and are to be sent
     */
    public EventGenerator(long seed, OpenLoopSchedule schedule) {
        this.seed = seed;
        this.schedule = schedule;
    }

    public OpenLoopSchedule schedule() {
        return schedule;
    }

    /** The event with a number; they count from 0. */
    public Event event(long n) {
        SplittableRandom random = new SplittableRandom(seed * 0xD1342543DE82EF95L + n);
        long timeMicros = schedule.dueMicros(n);
        long offset = n % EPOCH;
        if (offset < PERSONS) {
            return person(n, timeMicros, random);
        }
        if (offset < PERSONS + AUCTIONS) {
            return auction(n, timeMicros, random);
        }
        return bid(n, timeMicros, random);
    }

    private static Person person(long n, long timeMicros, SplittableRandom random) {
        String name = oneOf(FIRST_NAMES, random) + "-" + oneOf(LAST_NAMES, random);
        String email = text(random, 7) + "@" + text(random, 5) + ".com";
        String creditCard =
                String.valueOf(1_000_000_000_000_000L + random.nextLong(9_000_000_000_000_000L));
        String city = oneOf(CITIES, random);
        String state = oneOf(STATES, random);
        int size =
                Long.BYTES
                        + name.length()
                        + email.length()
                        + creditCard.length()
                        + city.length()
                        + state.length();
        return new Person(
                FIRST_PERSON + lastPerson(n),
                name,
                email,
                creditCard,
                city,
                state,
                timeMicros,
                padding(PERSON_BYTES - size, random));
    }

    private Auction auction(long n, long timeMicros, SplittableRandom random) {
        long seller =
                random.nextInt(HOT_SELLER_RATIO) > 0
                        ? lastPerson(n) / HOT_STRIDE * HOT_STRIDE
                        : anyPerson(n, random);
        long initialBid = price(random);
        long reserve = initialBid + price(random);
        String itemName = text(random, 20);
        String description = text(random, 100);
        int size = 6 * Long.BYTES + itemName.length() + description.length();
        return new Auction(
                FIRST_AUCTION + lastAuction(n),
                itemName,
                description,
                initialBid,
                reserve,
                timeMicros,
                timeMicros / 1_000L + auctionMillis(n, timeMicros, random),
                FIRST_PERSON + seller,
                FIRST_CATEGORY + random.nextInt(CATEGORIES),
                padding(AUCTION_BYTES - size, random));
    }

    private static Bid bid(long n, long timeMicros, SplittableRandom random) {
        long auction =
                random.nextInt(HOT_AUCTION_RATIO) > 0
                        ? lastAuction(n) / HOT_STRIDE * HOT_STRIDE
                        : anyAuction(n, random);
        // The second in a row, so that hot bidders are not hot sellers.
        long bidder =
                random.nextInt(HOT_BIDDER_RATIO) > 0
                        ? lastPerson(n) / HOT_STRIDE * HOT_STRIDE + 1
                        : anyPerson(n, random);
        return new Bid(
                FIRST_AUCTION + auction,
                FIRST_PERSON + bidder,
                price(random),
                timeMicros,
                padding(BID_BYTES - 4 * Long.BYTES, random));
    }

    /** The number of the last person up to event n. */
    private static long lastPerson(long n) {
        return n / EPOCH * PERSONS + Math.min(n % EPOCH, PERSONS - 1);
    }

    /** The number of the last auction up to event n, which must not be the first person. */
    private static long lastAuction(long n) {
        return n / EPOCH * AUCTIONS + Math.min(n % EPOCH - PERSONS, AUCTIONS - 1);
    }

    /** One of the active persons and the next ones. */
    private static long anyPerson(long n, SplittableRandom random) {
        long persons = lastPerson(n) + 1;
        long active = Math.min(persons, ACTIVE_PERSONS);
        return persons - active + random.nextLong(active + LEAD);
    }

    /** One of the auctions in flight and the next ones. */
    private static long anyAuction(long n, SplittableRandom random) {
        long last = lastAuction(n);
        long first = Math.max(last - AUCTIONS_IN_FLIGHT, 0);
        return first + random.nextLong(last - first + 1 + LEAD);
    }

    /** On average the time in which as many auctions begin as shall be in flight. */
    private long auctionMillis(long n, long timeMicros, SplittableRandom random) {
        long eventsAhead = (long) AUCTIONS_IN_FLIGHT * EPOCH / AUCTIONS;
        long horizon = (schedule.dueMicros(n + eventsAhead) - timeMicros) / 1_000L;
        return 1 + random.nextLong(Math.max(2 * horizon, 1));
    }

    /** In cents: from 1 to a million dollars, the logarithm uniformly distributed. */
    private static long price(SplittableRandom random) {
        return Math.round(Math.pow(10, 2 + random.nextDouble() * 6));
    }

    private static String oneOf(String[] values, SplittableRandom random) {
        return values[random.nextInt(values.length)];
    }

    /** Three letters at least. */
    private static String text(SplittableRandom random, int maxLength) {
        return new String(
                letters(3 + random.nextInt(maxLength - 3), random), StandardCharsets.US_ASCII);
    }

    /** As many bytes as asked for, on average; they vary by a fifth. */
    private static byte[] padding(int bytes, SplittableRandom random) {
        int fifth = bytes / 5;
        return bytes <= 0
                ? new byte[0]
                : letters(bytes - fifth + random.nextInt(2 * fifth + 1), random);
    }

    private static byte[] letters(int length, SplittableRandom random) {
        byte[] letters = new byte[length];
        long bits = 0;
        for (int i = 0; i < length; i++) {
            if (i % 12 == 0) {
                bits = random.nextLong();
            }
            letters[i] = (byte) ('a' + (int) (bits & 31) % 26);
            bits >>>= 5;
        }
        return letters;
    }
}
