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

package io.meces.runtime.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.flink.runtime.concurrent.ScheduledExecutorServiceAdapter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class SchedulerRescaleContextTest {

    private final ScheduledExecutorService mainThread =
            Executors.newSingleThreadScheduledExecutor();

    @AfterEach
    void stop() {
        mainThread.shutdownNow();
    }

    @Test
    void whatAnActionThrowsIsNotLost() throws Exception {
        IllegalStateException unforeseen = new IllegalStateException("a test");
        CompletableFuture<Throwable> failure = new CompletableFuture<>();
        SchedulerRescaleContext.schedule(
                () -> {
                    throw unforeseen;
                },
                Duration.ofMillis(1),
                new ScheduledExecutorServiceAdapter(mainThread),
                failure::complete);

        assertThat(failure.get(10, TimeUnit.SECONDS)).hasCause(unforeseen);
    }
}
