// SPDX-License-Identifier: Apache-2.0
package io.meces.examples.nexmark;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The queries again, without Flink: what all results are when all events are known. Simple rather
 * than fast.
 */
public final class ReferenceQueries {

    /** Which of two bids is the higher one; of equal ones the one that comes first. */
    private static final Comparator<Bid> BY_PRICE =
            Comparator.<Bid>comparingLong(bid -> -bid.price)
                    .thenComparingLong(Event::time)
                    .thenComparingLong(bid -> bid.auction);

    private final List<Person> persons = new ArrayList<>();
    private final List<Auction> auctions = new ArrayList<>();
    private final List<Bid> bids = new ArrayList<>();
    private final WindowLengths windows;

    private ReferenceQueries(Iterable<Event> events, WindowLengths windows) {
        for (Event event : events) {
            if (event instanceof Person) {
                persons.add((Person) event);
            } else if (event instanceof Auction) {
                auctions.add((Auction) event);
            } else if (event instanceof Bid) {
                bids.add((Bid) event);
            }
        }
        this.windows = windows;
    }

    /**
     * All result lines of a query when there are no other events, in natural order.
     *
     * @param events in the order of their event time; markers are left out
     */
    public static List<String> lines(
            NexmarkQuery query, Iterable<Event> events, WindowLengths windows) {
        ReferenceQueries reference = new ReferenceQueries(events, windows);
        List<String> lines = reference.lines(query);
        Collections.sort(lines);
        return lines;
    }

    private List<String> lines(NexmarkQuery query) {
        switch (query) {
            case Q1:
                return currencyConversion();
            case Q2:
                return selection();
            case Q3:
                return localItems();
            case Q4:
                return categoryAverages();
            case Q5:
                return hotItems();
            case Q6:
                return sellerAverages();
            case Q7:
                return highestBids();
            case Q8:
                return newUsers();
            default:
                throw new IllegalArgumentException("There is no query " + query + ".");
        }
    }

    private List<String> currencyConversion() {
        List<String> lines = new ArrayList<>();
        for (Bid bid : bids) {
            lines.add(line(bid.auction, bid.bidder, bid.price * 908 / 1_000, bid.time()));
        }
        return lines;
    }

    private List<String> selection() {
        List<String> lines = new ArrayList<>();
        for (Bid bid : bids) {
            if (bid.auction % 123 == 0) {
                lines.add(line(bid.auction, bid.price));
            }
        }
        return lines;
    }

    private List<String> localItems() {
        List<String> lines = new ArrayList<>();
        for (Person person : persons) {
            for (Auction auction : auctions) {
                if (auction.seller == person.id
                        && auction.category == 10
                        && Arrays.asList("OR", "ID", "CA").contains(person.state)
                        && Math.abs(person.time() - auction.time()) <= windows.sizeMillis) {
                    lines.add(line(person.name, person.city, person.state, auction.id));
                }
            }
        }
        return lines;
    }

    /** The winning bid of each auction that has one. */
    private Map<Auction, Bid> winners() {
        Map<Long, List<Bid>> bidsOf = new HashMap<>();
        for (Bid bid : bids) {
            bidsOf.computeIfAbsent(bid.auction, auction -> new ArrayList<>()).add(bid);
        }
        Map<Auction, Bid> winners = new HashMap<>();
        for (Auction auction : auctions) {
            bidsOf.getOrDefault(auction.id, Collections.emptyList()).stream()
                    .filter(bid -> bid.time() >= auction.time() && bid.time() < auction.expires)
                    .filter(bid -> bid.price >= auction.reserve)
                    .min(BY_PRICE)
                    .ifPresent(bid -> winners.put(auction, bid));
        }
        return winners;
    }

    private List<String> categoryAverages() {
        Map<Long, TreeMap<Long, List<Long>>> prices = new HashMap<>();
        winners()
                .forEach(
                        (auction, bid) ->
                                prices.computeIfAbsent(auction.category, c -> new TreeMap<>())
                                        .computeIfAbsent(auction.expires, t -> new ArrayList<>())
                                        .add(bid.price));
        List<String> lines = new ArrayList<>();
        prices.forEach(
                (category, byTime) -> {
                    List<Long> soFar = new ArrayList<>();
                    byTime.forEach(
                            (time, added) -> {
                                soFar.addAll(added);
                                lines.add(line(category, average(soFar), soFar.size(), time));
                            });
                });
        return lines;
    }

    private List<String> hotItems() {
        Map<Long, Map<Long, Long>> counts = new HashMap<>();
        for (Bid bid : bids) {
            for (long end : windowEnds(bid.time())) {
                counts.computeIfAbsent(end, e -> new HashMap<>()).merge(bid.auction, 1L, Long::sum);
            }
        }
        List<String> lines = new ArrayList<>();
        counts.forEach(
                (end, byAuction) -> {
                    long most = Collections.max(byAuction.values());
                    byAuction.forEach(
                            (auction, count) -> {
                                if (count == most) {
                                    lines.add(line(end, auction, count));
                                }
                            });
                });
        return lines;
    }

    private List<String> sellerAverages() {
        Map<Long, Map<Long, List<Long>>> prices = new HashMap<>();
        winners()
                .forEach(
                        (auction, bid) -> {
                            for (long end : windowEnds(auction.expires)) {
                                prices.computeIfAbsent(end, e -> new HashMap<>())
                                        .computeIfAbsent(auction.seller, s -> new ArrayList<>())
                                        .add(bid.price);
                            }
                        });
        List<String> lines = new ArrayList<>();
        prices.forEach(
                (end, bySeller) ->
                        bySeller.forEach(
                                (seller, all) -> lines.add(line(end, seller, average(all)))));
        return lines;
    }

    private List<String> highestBids() {
        Map<Long, Bid> highest = new HashMap<>();
        for (Bid bid : bids) {
            for (long end : windowEnds(bid.time())) {
                highest.merge(end, bid, (a, b) -> BY_PRICE.compare(b, a) < 0 ? b : a);
            }
        }
        List<String> lines = new ArrayList<>();
        highest.forEach((end, bid) -> lines.add(line(end, bid.auction, bid.bidder, bid.price)));
        return lines;
    }

    private List<String> newUsers() {
        List<String> lines = new ArrayList<>();
        for (Person person : persons) {
            for (Auction auction : auctions) {
                long end = windowEnds(person.time()).get(0);
                if (auction.seller == person.id && windowEnds(auction.time()).get(0) == end) {
                    lines.add(line(end, person.id, person.name, auction.id, auction.reserve));
                }
            }
        }
        return lines;
    }

    /** The ends of the windows that a time is in. */
    private List<Long> windowEnds(long time) {
        long slide = windows.slideMillis == 0 ? windows.sizeMillis : windows.slideMillis;
        List<Long> ends = new ArrayList<>();
        for (long start = time - time % slide; start > time - windows.sizeMillis; start -= slide) {
            ends.add(start + windows.sizeMillis);
        }
        return ends;
    }

    private static long average(List<Long> prices) {
        return prices.stream().mapToLong(price -> price).sum() / prices.size();
    }

    private static String line(Object... values) {
        List<String> texts = new ArrayList<>();
        for (Object value : values) {
            texts.add(value.toString());
        }
        return String.join(" ", texts);
    }
}
