// SPDX-License-Identifier: Apache-2.0
package io.meces.dist;

import java.io.IOException;
import org.junit.jupiter.api.Tag;

/** Flink 1.20. */
@Tag("full")
@Tag("stock-distribution")
class StockDistribution120IT extends TypedUserGuide {
    StockDistribution120IT() throws IOException {
        super("1.20.5");
    }
}
