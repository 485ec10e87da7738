// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.mechanisms;

import io.meces.examples.keycount.KeyCountJob;
import io.meces.experiments.harness.JobTopics;
import io.meces.experiments.run.Watchdog;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Counting records per key, each key with a payload. */
final class KeyCountWorkload implements Workload {
    private final KeyCountOptions options;

    KeyCountWorkload(KeyCountOptions options) {
        this.options = options;
    }

    @Override
    public String name() {
        return "key-count";
    }

    @Override
    public Map<String, Object> parameters() {
        Map<String, Object> parameters = new LinkedHashMap<>();
        parameters.put("keys", options.keys());
        parameters.put("payload", options.payloadBytes);
        parameters.put("stages", options.stages);
        parameters.put("distribution", options.distribution().toString());
        parameters.put("work-micros", options.workMicros());
        if (options.scenario() == Scenario.BACK_PRESSURE) {
            parameters.put("surge", options.surgeSeconds);
        }
        return parameters;
    }

    @Override
    public String mainClass() {
        return KeyCountJob.class.getName();
    }

    @Override
    public List<String> jobArguments() {
        return Arrays.asList(
                "--stages", String.valueOf(options.stages),
                "--payload", String.valueOf(options.payloadBytes),
                "--work-micros", String.valueOf(options.workMicros()),
                // What is sent before the load is one record of each key.
                "--work-from", String.valueOf(options.keys()));
    }

    @Override
    public List<String> vertices() {
        // the consumer first, as the user guide recommends
        return options.stages == 1
                ? Collections.singletonList(KeyCountJob.COUNTER)
                : Arrays.asList(KeyCountJob.CHECKER, KeyCountJob.COUNTER);
    }

    @Override
    public Traffic open(JobTopics topics, Watchdog watchdog) {
        return new KeyCountTraffic(options, topics, watchdog);
    }
}
