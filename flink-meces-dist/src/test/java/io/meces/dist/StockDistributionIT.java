// SPDX-License-Identifier: Apache-2.0
package io.meces.dist;

import java.io.IOException;
import org.junit.jupiter.api.Tag;

/** Flink 1.12; the Maven property {@code stock.flink.version} says which release. */
@Tag("full")
@Tag("stock-distribution")
class StockDistributionIT extends TypedUserGuide {
    StockDistributionIT() throws IOException {
        super(System.getProperty("stock.flink.version"));
    }
}
