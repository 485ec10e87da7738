// SPDX-License-Identifier: Apache-2.0
package io.meces.examples.nexmark;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/** The queries. Needs no class of Flink. */
public enum NexmarkQuery {
    /** What are the prices of the bids in euros? */
    Q1(0, 0, "currency-conversion"),

    /** Which bids are there for certain auctions? */
    Q2(0, 0, "selection"),

    /** Who sells in certain states in a certain category? */
    Q3(600_000, 0, "local-items"),

    /** What is the average price of the auctions that have ended, for each category? */
    Q4(0, 0, "winning-bids", "category-average"),

    /** Which auctions have got the most bids in a window? */
    Q5(60_000, 1_000, "bids-per-auction", "hot-items"),

    /** What is the average price of the auctions that have ended in a window, for each seller? */
    Q6(10_000, 1_000, "winning-bids", "seller-average"),

    /** Which is the highest bid of a window? */
    Q7(10_000, 0, "highest-per-auction", "highest-bid"),

    /** Who has registered and put up an auction in the same window? */
    Q8(100_000, 0, "new-users");

    private final WindowLengths windows;
    private final List<String> operators;

    NexmarkQuery(long sizeMillis, long slideMillis, String... operators) {
        this.windows = new WindowLengths(sizeMillis, slideMillis);
        this.operators = Collections.unmodifiableList(Arrays.asList(operators));
    }

    /** The windows that the query has by definition. */
    public WindowLengths windows() {
        return windows;
    }

    /**
     * The names and uids of the keyed operators, the one with most of the state first. Each is the
     * first operator of a vertex of its own, whose name begins with it.
     */
    public List<String> operators() {
        return operators;
    }
}
