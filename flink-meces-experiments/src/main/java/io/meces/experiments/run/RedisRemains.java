// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.run;

import io.meces.experiments.cluster.Watchdog;
import io.meces.servers.RedisServer;
import java.io.IOException;
import java.time.Duration;

/** What a transition service has written to Redis, and what of it is there still. */
public final class RedisRemains {
    private static final String LEASES = "meces:slot:*";
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final Duration INTERVAL = Duration.ofMillis(50);

    /** Writes so far: of payloads, and a few of leases. */
    public final long redisWrites;

    /** Keys that are no leases of TaskManagers that run. */
    public final long redisPayloadsLeft;

    public RedisRemains(long redisWrites, long redisPayloadsLeft) {
        this.redisWrites = redisWrites;
        this.redisPayloadsLeft = redisPayloadsLeft;
    }

    /** Asks Redis; what is being deleted is waited for, for some seconds. */
    public static RedisRemains of(RedisServer redis, Watchdog watchdog)
            throws IOException, InterruptedException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        RedisRemains remains = now(redis);
        while (remains.redisPayloadsLeft > 0 && System.nanoTime() - deadline < 0) {
            watchdog.pause(INTERVAL);
            remains = now(redis);
        }
        return remains;
    }

    private static RedisRemains now(RedisServer redis) throws IOException {
        return new RedisRemains(redis.calls("set"), redis.keys() - redis.keys(LEASES));
    }
}
