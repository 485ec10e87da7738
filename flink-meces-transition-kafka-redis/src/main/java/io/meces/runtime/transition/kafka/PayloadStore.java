// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.transition.kafka;

import io.meces.runtime.MecesOptions;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.cert.CertificateException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.flink.configuration.ReadableConfig;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.Response;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.exceptions.JedisRedirectionException;
import redis.clients.jedis.params.SetParams;

/**
 * Payloads in Redis, by key, each with a time to live. What is asked for together goes in one
 * pipeline. Thread-safe.
 *
 * <p>Methods throw a {@link JedisException} if Redis cannot be reached; then some of what was asked
 * for may have been done.
 */
final class PayloadStore implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(PayloadStore.class);

    /** How a Redis answers that will serve later. */
    private static final List<String> STARTING =
            Arrays.asList("LOADING", "MASTERDOWN", "CLUSTERDOWN", "TRYAGAIN", "BUSY");

    private final UnifiedJedis redis;
    private final SetParams expiring;

    private PayloadStore(UnifiedJedis redis, ReadableConfig configuration) {
        this.redis = redis;
        this.expiring =
                new SetParams().px(configuration.get(MecesOptions.KAFKA_REDIS_TTL).toMillis());
    }

    /**
     * Connects to the configured Redis, which may be about to start.
     *
     * @param deadlineNanos until when it is tried
     * @throws IOException if it cannot be used, naming it and the reason
     */
    static PayloadStore connect(ReadableConfig configuration, long deadlineNanos) throws Exception {
        try {
            return Retries.DEFAULT.until(
                    deadlineNanos,
                    PayloadStore::mayBecomeUsable,
                    () -> new PayloadStore(connected(configuration), configuration));
        } catch (JedisException e) {
            throw unusable(configuration, e);
        }
    }

    private static UnifiedJedis connected(ReadableConfig configuration) throws IOException {
        UnifiedJedis redis = RedisClients.create(configuration);
        try {
            // also in a cluster, where there is no PING for all
            redis.exists(configuration.get(MecesOptions.KAFKA_REDIS_PREFIX) + ":start");
            return redis;
        } catch (JedisException e) {
            redis.close();
            throw e;
        }
    }

    /** Not if it has refused us, or is not the one whose certificate we trust. */
    private static boolean mayBecomeUsable(Exception failure) {
        if (!(failure instanceof JedisException)) {
            return false;
        }
        for (Throwable t = failure; t != null; t = t.getCause()) {
            if (t instanceof CertificateException) {
                return false;
            }
            if (t instanceof JedisDataException) {
                String answer = String.valueOf(t.getMessage());
                return STARTING.stream().anyMatch(answer::startsWith);
            }
        }
        return true;
    }

    /** That Redis cannot be used, and why. */
    static IOException unusable(ReadableConfig configuration, JedisException failure) {
        return new IOException(
                "The transition service cannot use Redis at "
                        + configuration.get(MecesOptions.REDIS_HOSTS)
                        + " ("
                        + MecesOptions.REDIS_HOSTS.key()
                        + ", "
                        + configuration.get(MecesOptions.REDIS_MODE)
                        + "): "
                        + reasons(failure),
                failure);
    }

    private static String reasons(Throwable failure) {
        Set<String> reasons = new LinkedHashSet<>();
        for (Throwable t = failure; t != null; t = t.getCause()) {
            reasons.add(String.valueOf(t.getMessage()));
            for (Throwable suppressed : t.getSuppressed()) {
                reasons.add(String.valueOf(suppressed.getMessage()));
            }
        }
        return String.join(": ", reasons);
    }

    /**
     * Writes and deletes.
     *
     * @return the keys that Redis has refused to write
     */
    Set<String> update(Map<String, byte[]> writes, Collection<String> deletes) {
        Map<String, Response<?>> answers = new LinkedHashMap<>();
        Map<String, Response<?>> deletions = new HashMap<>();
        try (AbstractPipeline pipeline = redis.pipelined()) {
            writes.forEach(
                    (key, value) -> answers.put(key, pipeline.set(bytes(key), value, expiring)));
            deletes.forEach(key -> deletions.put(key, pipeline.unlink(bytes(key))));
            pipeline.sync();
        }
        deletions.forEach((key, answer) -> result(answer, () -> redis.unlink(bytes(key))));
        Set<String> refused = new LinkedHashSet<>();
        answers.forEach(
                (key, answer) -> {
                    try {
                        result(answer, () -> redis.set(bytes(key), writes.get(key), expiring));
                    } catch (JedisDataException e) {
                        refused.add(key);
                        LOG.warn("Redis does not take a payload; it is sent again later.", e);
                    }
                });
        return refused;
    }

    /** The payloads of the keys, in their order, null where there is none. */
    List<byte[]> read(List<String> keys) {
        List<Response<byte[]>> answers = new ArrayList<>(keys.size());
        try (AbstractPipeline pipeline = redis.pipelined()) {
            keys.forEach(key -> answers.add(pipeline.get(bytes(key))));
            pipeline.sync();
        }
        List<byte[]> payloads = new ArrayList<>(keys.size());
        for (int i = 0; i < keys.size(); i++) {
            byte[] key = bytes(keys.get(i));
            payloads.add((byte[]) result(answers.get(i), () -> redis.get(key)));
        }
        return payloads;
    }

    /**
     * The answer of a pipeline. A pipeline does not follow a cluster that has moved a key, and has
     * no answer from a node that is gone; single commands follow, and find out.
     */
    private static Object result(Response<?> answer, Supplier<?> single) {
        try {
            return answer.get();
        } catch (JedisRedirectionException | IllegalStateException e) {
            LOG.debug("Asking for it alone", e);
            return single.get();
        }
    }

    /** The client, for what is no payload. */
    UnifiedJedis redis() {
        return redis;
    }

    private static byte[] bytes(String key) {
        return key.getBytes(StandardCharsets.US_ASCII);
    }

    @Override
    public void close() {
        redis.close();
    }
}
