// SPDX-License-Identifier: Apache-2.0
package io.meces.dist;

import java.io.IOException;
import org.junit.jupiter.api.Tag;

/** Flink 2.3. */
@Tag("full")
@Tag("stock-distribution")
class StockDistribution230IT extends TypedUserGuide {
    StockDistribution230IT() throws IOException {
        super("2.3.0");
    }
}
