/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
 * in compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License
 * is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
 * or implied. See the License for the specific language governing permissions and limitations under
 * the License.
 */

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
