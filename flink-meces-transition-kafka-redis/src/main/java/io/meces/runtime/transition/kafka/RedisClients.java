// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.transition.kafka;

import io.meces.runtime.MecesOptions;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;
import javax.annotation.Nullable;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.IllegalConfigurationException;
import org.apache.flink.configuration.ReadableConfig;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.JedisCluster;
import redis.clients.jedis.JedisPooled;
import redis.clients.jedis.JedisSentineled;
import redis.clients.jedis.UnifiedJedis;

/** Makes the Redis client that is configured. Stateless. */
final class RedisClients {

    private static final int CLUSTER_ATTEMPTS = 5;

    /** How often a cluster is asked which node has what. */
    private static final Duration CLUSTER_REFRESH = Duration.ofSeconds(5);

    /** More than there are threads that use one. */
    private static final int MAX_CONNECTIONS = 16;

    private RedisClients() {}

    /**
     * A client that connects when it is first used, or at once.
     *
     * @throws IllegalConfigurationException if the configuration is no good
     * @throws IOException if a keystore or truststore cannot be read
     * @throws RuntimeException of Jedis if Sentinels or a cluster cannot be reached
     */
    static UnifiedJedis create(ReadableConfig configuration) throws IOException {
        Set<HostAndPort> hosts = hosts(configuration);
        ConnectionPoolConfig pool = new ConnectionPoolConfig();
        pool.setMaxTotal(MAX_CONNECTIONS);
        JedisClientConfig client =
                client(
                        configuration,
                        MecesOptions.REDIS_USER,
                        MecesOptions.REDIS_PASSWORD,
                        configuration.get(MecesOptions.REDIS_DATABASE));
        switch (configuration.get(MecesOptions.REDIS_MODE)) {
            case SENTINEL:
                if (configuration.get(MecesOptions.REDIS_MASTER) == null) {
                    throw new IllegalConfigurationException(
                            "Set "
                                    + MecesOptions.REDIS_MASTER.key()
                                    + " to the name by which the Sentinels know the master.");
                }
                return new JedisSentineled(
                        configuration.get(MecesOptions.REDIS_MASTER),
                        client,
                        pool,
                        hosts,
                        client(
                                configuration,
                                MecesOptions.REDIS_SENTINEL_USER,
                                MecesOptions.REDIS_SENTINEL_PASSWORD,
                                0));
            case CLUSTER:
                // pipelines do not look for a node that has taken over, only single commands do
                return new JedisCluster(
                        hosts,
                        client,
                        pool,
                        CLUSTER_REFRESH,
                        CLUSTER_ATTEMPTS,
                        configuration
                                .get(MecesOptions.REDIS_TIMEOUT)
                                .multipliedBy(CLUSTER_ATTEMPTS));
            default:
                if (hosts.size() > 1) {
                    throw new IllegalConfigurationException(
                            MecesOptions.REDIS_HOSTS.key()
                                    + " names several servers; set "
                                    + MecesOptions.REDIS_MODE.key()
                                    + " to SENTINEL or CLUSTER, or name one.");
                }
                return new JedisPooled(pool, hosts.iterator().next(), client);
        }
    }

    private static Set<HostAndPort> hosts(ReadableConfig configuration) {
        String value = configuration.get(MecesOptions.REDIS_HOSTS);
        Set<HostAndPort> hosts = new LinkedHashSet<>();
        if (value != null) {
            for (String host : value.split(",")) {
                try {
                    hosts.add(HostAndPort.from(host.trim()));
                } catch (IllegalArgumentException e) {
                    throw new IllegalConfigurationException(
                            MecesOptions.REDIS_HOSTS.key()
                                    + " has '"
                                    + host.trim()
                                    + "', which is not host:port.",
                            e);
                }
            }
        }
        if (hosts.isEmpty()) {
            throw new IllegalConfigurationException(
                    "The transition service kafka-redis needs a Redis: set "
                            + MecesOptions.REDIS_HOSTS.key()
                            + " to its host:port.");
        }
        return hosts;
    }

    private static JedisClientConfig client(
            ReadableConfig configuration,
            ConfigOption<String> user,
            ConfigOption<String> password,
            int database)
            throws IOException {
        DefaultJedisClientConfig.Builder client =
                DefaultJedisClientConfig.builder()
                        .timeoutMillis(
                                Math.toIntExact(
                                        configuration.get(MecesOptions.REDIS_TIMEOUT).toMillis()))
                        .user(configuration.get(user))
                        .password(configuration.get(password))
                        .database(database)
                        .clientName("flink-meces");
        if (configuration.get(MecesOptions.REDIS_TLS)) {
            client.ssl(true);
            SSLParameters parameters = new SSLParameters();
            if (configuration.get(MecesOptions.REDIS_TLS_VERIFY_HOST)) {
                parameters.setEndpointIdentificationAlgorithm("HTTPS");
            }
            client.sslParameters(parameters);
            try {
                client.sslSocketFactory(tls(configuration).getSocketFactory());
            } catch (GeneralSecurityException e) {
                throw new IOException("TLS to Redis cannot be set up: " + e.getMessage(), e);
            }
        }
        return client.build();
    }

    private static SSLContext tls(ReadableConfig configuration)
            throws GeneralSecurityException, IOException {
        TrustManager[] trusted = null;
        KeyManager[] keys = null;
        if (configuration.get(MecesOptions.REDIS_TRUSTSTORE) != null) {
            TrustManagerFactory factory =
                    TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            factory.init(
                    load(
                            configuration.get(MecesOptions.REDIS_TRUSTSTORE),
                            configuration.get(MecesOptions.REDIS_TRUSTSTORE_PASSWORD)));
            trusted = factory.getTrustManagers();
        }
        if (configuration.get(MecesOptions.REDIS_KEYSTORE) != null) {
            String password = configuration.get(MecesOptions.REDIS_KEYSTORE_PASSWORD);
            KeyManagerFactory factory =
                    KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            factory.init(
                    load(configuration.get(MecesOptions.REDIS_KEYSTORE), password),
                    characters(password));
            keys = factory.getKeyManagers();
        }
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys, trusted, null);
        return context;
    }

    /** Java's own PKCS12 store also reads JKS. */
    private static KeyStore load(String file, @Nullable String password)
            throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        try (InputStream in = Files.newInputStream(Paths.get(file))) {
            store.load(in, characters(password));
        }
        return store;
    }

    @Nullable
    private static char[] characters(@Nullable String password) {
        return password == null ? null : password.toCharArray();
    }
}
