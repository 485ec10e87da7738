// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.soak;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class CheckpointWatchTest {

    private final CheckpointWatch watch = new CheckpointWatch();

    @BeforeEach
    void begin() {
        watch.begin(1_000);
    }

    private void take(long now, String history) throws IOException {
        String json = "{'counts':{'completed':3,'failed':1},'history':[" + history + "]}";
        watch.take(new ObjectMapper().readTree(json.replace('\'', '"')), now);
    }

    private static String checkpoint(String status, long end) {
        return "{'status':'" + status + "','latest_ack_timestamp':" + end + "}";
    }

    @Test
    void timeBetweenCompletedOnesCounts() throws IOException {
        take(
                3_100,
                checkpoint("COMPLETED", 3_000)
                        + ","
                        + checkpoint("FAILED", 2_000)
                        + ","
                        + checkpoint("COMPLETED", 1_500));
        assertThat(watch.longestMillis()).isEqualTo(1_500);
    }

    @Test
    void timeSinceTheLastOneCounts() throws IOException {
        take(1_200, checkpoint("COMPLETED", 1_100));
        take(6_100, checkpoint("IN_PROGRESS", 6_000) + "," + checkpoint("COMPLETED", 1_100));
        assertThat(watch.longestMillis()).isEqualTo(5_000);
    }
}
