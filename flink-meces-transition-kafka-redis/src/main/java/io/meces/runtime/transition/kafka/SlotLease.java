// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.transition.kafka;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.params.SetParams;

/**
 * A slot that this TaskManager has to itself, and with it partitions: a key in Redis that expires
 * if it is not renewed. If Redis loses the key and somebody else takes the slot before it is taken
 * again, both read the same partitions, which costs time but does no harm: messages name their
 * receiver.
 *
 * <p>Thread-safe; a {@link ServiceThread} renews the lease.
 */
final class SlotLease implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(SlotLease.class);
    private static final int RENEWALS_PER_DURATION = 3;

    private static final long STOP_MS = 3_000;

    /** Renews what is ours or nobody's; whether it is ours now. */
    private static final String RENEW =
            "local owner = redis.call('GET', KEYS[1]) "
                    + "if owner and owner ~= ARGV[1] then return 0 end "
                    + "redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2]) return 1";

    private static final String GIVE_BACK =
            "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end "
                    + "return 0";

    private final String owner = UUID.randomUUID().toString();
    private final UnifiedJedis redis;
    private final String prefix;
    private final long durationMs;
    private final int slot;
    private final ServiceThread thread;
    private final CountDownLatch closing = new CountDownLatch(1);

    /**
     * Whether the last attempt to renew it has failed: then the next one is soon. By the thread.
     */
    private boolean late;

    /** Owned by the thread. */
    private boolean shared;

    /**
     * Takes the lowest slot that is free.
     *
     * @param duration how long the slot stays taken after this process is gone
     * @throws JedisException if Redis cannot be used
     */
    SlotLease(UnifiedJedis redis, String prefix, Duration duration, Outages outages) {
        this.redis = redis;
        this.prefix = prefix;
        this.durationMs = duration.toMillis();
        int free = 0;
        while (redis.set(key(free), owner, new SetParams().nx().px(durationMs)) == null) {
            free++;
        }
        this.slot = free;
        this.thread =
                new ServiceThread(
                        "meces-transition-lease",
                        outages.of("Renewing the lease of slot " + slot + " in Redis", () -> {}),
                        this::renew,
                        this::giveBack);
        thread.start();
    }

    int slot() {
        return slot;
    }

    private String key(int number) {
        return prefix + ":slot:" + number;
    }

    private void renew() throws InterruptedException {
        long period = Math.max(1, durationMs / RENEWALS_PER_DURATION);
        if (!late && closing.await(period, TimeUnit.MILLISECONDS)) {
            return;
        }
        late = true;
        Object answer =
                redis.eval(
                        RENEW,
                        Collections.singletonList(key(slot)),
                        arguments(String.valueOf(durationMs)));
        late = false;
        boolean taken = !Long.valueOf(1).equals(answer);
        if (taken && !shared) {
            LOG.warn(
                    "Slot {} was taken by another TaskManager while Redis was away; they share"
                            + " it, and each reads what is meant for the other.",
                    slot);
        }
        shared = taken;
    }

    private List<String> arguments(String... more) {
        List<String> all = new ArrayList<>();
        all.add(owner);
        Collections.addAll(all, more);
        return all;
    }

    /** In the thread: a renewal on its way would take it again. */
    private void giveBack() {
        try {
            redis.eval(GIVE_BACK, Collections.singletonList(key(slot)), arguments());
        } catch (JedisException e) {
            LOG.warn("Slot {} stays taken until its lease expires.", slot, e);
        }
    }

    /** Gives the slot back. */
    @Override
    public void close() {
        thread.requestStop();
        closing.countDown();
        thread.join(STOP_MS);
    }
}
