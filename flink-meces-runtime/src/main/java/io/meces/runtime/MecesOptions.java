// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime;

import io.meces.core.checkpoint.RunningCheckpoint;
import io.meces.core.protocol.MigrationOrder;
import io.meces.state.Compression;
import io.meces.state.MecesStateOptions;
import java.time.Duration;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.configuration.MemorySize;

/**
 * Every option of flink-meces, as it stands in {@code flink-conf.yaml}. {@code
 * docs/configuration.md} is generated from this class.
 */
public final class MecesOptions {

    public static final ConfigOption<Integer> SUB_GROUPS = MecesStateOptions.SUB_GROUPS;

    public static final ConfigOption<Integer> MAX_RESCALE_PARALLELISM =
            ConfigOptions.key("meces.rescale.max-parallelism")
                    .intType()
                    .noDefaultValue()
                    .withDescription(
                            "Upper bound for the parallelism that a vertex can be rescaled to (its"
                                    + " capacity). Default: 4 times the parallelism of the vertex in"
                                    + " the job, at least 32. It is never more than the max"
                                    + " parallelism, and never less than the parallelism. A job can"
                                    + " say it for itself, by a global job parameter of the same"
                                    + " name, and for a vertex, by one that has a dot and the name,"
                                    + " the id, or the uid of an operator of the vertex behind it."
                                    + " The most specific one counts.");

    public static final ConfigOption<Integer> MAX_EDGES =
            ConfigOptions.key("meces.rescale.max-edges")
                    .intType()
                    .defaultValue(500_000)
                    .withDescription(
                            "How many edges between subtasks, active or not, the vertices that can"
                                    + " be rescaled may add to a job. Beyond it the largest"
                                    + " capacities are lowered, but not below the parallelism of"
                                    + " the vertex; the job says so. Each edge costs the"
                                    + " JobManager some tens of bytes of heap.");

    public static final ConfigOption<Duration> SLOT_TIMEOUT =
            ConfigOptions.key("meces.rescale.slot-timeout")
                    .durationType()
                    .defaultValue(Duration.ofMinutes(2))
                    .withDescription(
                            "How long a rescale waits for slots and for its new subtasks to run"
                                    + " before it is given up. The job goes on. The default lets a"
                                    + " TaskManager that was cut off be missed (heartbeat.timeout)"
                                    + " and come back. At most nine tenths of Flink's"
                                    + " slot.request.timeout (5 min), which would restart the job;"
                                    + " that is the default on YARN and Kubernetes, where a"
                                    + " container may have to be started first.");

    public static final ConfigOption<Integer> BATCH_SIZE =
            ConfigOptions.key("meces.migration.batch-size")
                    .intType()
                    .defaultValue(16)
                    .withDescription(
                            "How many key-groups a subtask gives or takes at most in one step of a"
                                    + " rescale. Checkpoints run between steps. Under overload"
                                    + " steps become fewer and larger, as each one reads ahead what"
                                    + " the network buffers hold.");

    public static final ConfigOption<MemorySize> BATCH_BYTES =
            ConfigOptions.key("meces.migration.batch-bytes")
                    .memoryType()
                    .defaultValue(MemorySize.ofMebiBytes(8))
                    .withDescription(
                            "How much state a subtask should give or take in one step of a rescale."
                                    + " The first step goes by the average of the last checkpoint"
                                    + " (without one it has one key-group), each one after that"
                                    + " by the step before: at least one key-group, at most"
                                    + " batch-size.");

    public static final ConfigOption<Duration> STEP_DURATION =
            ConfigOptions.key("meces.migration.step-duration")
                    .durationType()
                    .defaultValue(Duration.ofMillis(50))
                    .withDescription(
                            "How long a step of a rescale should take in a job with event time:"
                                    + " watermarks wait for its end, and so do the results of"
                                    + " windows. Steps have as many key-groups as there is time"
                                    + " for, judging by the steps before; the first has at most 4."
                                    + " They also keep clear of event-time timers, and wait up to"
                                    + " four times this for them. Neither is so if it is as long as"
                                    + " meces.migration.timeout, or longer.");

    public static final ConfigOption<Duration> STEP_TIMEOUT =
            ConfigOptions.key("meces.migration.timeout")
                    .durationType()
                    .defaultValue(Duration.ofMinutes(2))
                    .withDescription(
                            "How long each stage of a rescale may take: a step, and also connecting"
                                    + " new subtasks, draining and retiring those that leave; waiting"
                                    + " for a checkpoint does not count. After that the rescale is"
                                    + " given up if no step has begun; otherwise the job recovers"
                                    + " from its last checkpoint, as after a failure. A job without"
                                    + " periodic checkpoints, or whose restart strategy is none,"
                                    + " would be lost by that: its rescale waits on. A step may take"
                                    + " ten times as long while its tasks work off a queue, and any"
                                    + " time while its data comes, but must get on within this.");

    public static final ConfigOption<RunningCheckpoint> RUNNING_CHECKPOINT =
            ConfigOptions.key("meces.migration.checkpoint")
                    .enumType(RunningCheckpoint.class)
                    .defaultValue(RunningCheckpoint.AUTO)
                    .withDescription(
                            "What becomes of a checkpoint that is on its way when a rescale begins:"
                                    + " the rescale WAITs for it, which can take long under back"
                                    + " pressure, or ABORTs it, and then pauses for a checkpoint between"
                                    + " steps only if it has run for 30 s without one (or for a"
                                    + " quarter of the checkpoint timeout, if that is less). AUTO"
                                    + " waits as long as the checkpoint moves, also between steps,"
                                    + " and aborts one that stands behind a backlog; one at most"
                                    + " until another one has been completed. Savepoints are waited"
                                    + " for.");

    public static final ConfigOption<MigrationOrder> MIGRATION_ORDER =
            ConfigOptions.key("meces.migration.order")
                    .enumType(MigrationOrder.class)
                    .defaultValue(MigrationOrder.DEMAND)
                    .withDescription(
                            "In which order state moves: what a record waits for first (DEMAND), or"
                                    + " key-group after key-group in a fixed order (SEQUENTIAL), in"
                                    + " which records wait longer; for experiments only.");

    /** What becomes of a rescale when the job restarts, or a new JobManager takes over. */
    public enum OnFailure {
        /** It goes on when the job runs again. */
        RESUME,
        /** It has failed. */
        ABORT
    }

    public static final ConfigOption<OnFailure> ON_FAILURE =
            ConfigOptions.key("meces.rescale.on-failure")
                    .enumType(OnFailure.class)
                    .defaultValue(OnFailure.RESUME)
                    .withDescription(
                            "What becomes of a rescale in which a task, a TaskManager or the"
                                    + " JobManager fails. The job recovers from its last checkpoint"
                                    + " at the parallelism that it had before; then the rescale is"
                                    + " RESUMEd, or it has failed (ABORT). A new JobManager knows"
                                    + " of a rescale by the last checkpoint.");

    /** What becomes of a job with a sink that may write results of a key in the wrong order. */
    public enum UnknownSinks {
        /** It cannot be rescaled. */
        REFUSE,
        /** It can be rescaled, at that price. */
        ACCEPT
    }

    public static final ConfigOption<UnknownSinks> UNKNOWN_SINKS =
            ConfigOptions.key("meces.rescale.unknown-sinks")
                    .enumType(UnknownSinks.class)
                    .defaultValue(UnknownSinks.REFUSE)
                    .withDescription(
                            "What becomes of a job with a sink that takes part in checkpoints, and"
                                    + " so may hold records back, in the chain of a keyed operator,"
                                    + " if it is not known how to have it write them before keys"
                                    + " move. REFUSE: the job cannot be rescaled, and the vertex of"
                                    + " an operator that writes outside by itself cannot. ACCEPT:"
                                    + " in a rescale, an old result of a key may be written after"
                                    + " a newer one.");

    /** What becomes of a job that asks for unaligned checkpoints. */
    public enum UnalignedCheckpoints {
        /** It takes them, and cannot be rescaled. */
        REFUSE,
        /** It takes aligned ones, and can be rescaled. */
        ALIGN,
        /** It takes them while no rescale runs; not on Flink 1.12. */
        AT_REST
    }

    public static final ConfigOption<UnalignedCheckpoints> UNALIGNED_CHECKPOINTS =
            ConfigOptions.key("meces.rescale.unaligned-checkpoints")
                    .enumType(UnalignedCheckpoints.class)
                    .defaultValue(UnalignedCheckpoints.AT_REST)
                    .withDescription(
                            "What becomes of a job that asks for unaligned checkpoints"
                                    + " (execution.checkpointing.unaligned). AT_REST: it takes them"
                                    + " while no rescale runs, aligned ones otherwise, and can be"
                                    + " rescaled; on Flink 1.12 as REFUSE. ALIGN: all its"
                                    + " checkpoints are aligned, so they take longer under back"
                                    + " pressure, and it can be rescaled. REFUSE: it takes them,"
                                    + " and cannot be rescaled.");

    /** What becomes of a job that begins with what Kryo of an earlier line of Flink has written. */
    public enum EarlierKryoUse {
        /** It does not begin. */
        REFUSE,
        /** It begins, as in a stock Flink. */
        ACCEPT
    }

    public static final ConfigOption<EarlierKryoUse> EARLIER_KRYO =
            ConfigOptions.key("meces.rescale.earlier-kryo")
                    .enumType(EarlierKryoUse.class)
                    .defaultValue(EarlierKryoUse.REFUSE)
                    .withDescription(
                            "What becomes of a job on Flink 2 that can be rescaled and is started"
                                    + " from a checkpoint or savepoint of Flink 1 with values that"
                                    + " went through Kryo, whose format is another one since."
                                    + " REFUSE: it fails, and says which. ACCEPT: it begins, as in"
                                    + " a stock Flink; what is read may be other values, without an"
                                    + " error.");

    public static final ConfigOption<Boolean> REPLACE_HEAP_BACKENDS =
            ConfigOptions.key("meces.rescale.replace-heap-backends")
                    .booleanType()
                    .defaultValue(true)
                    .withDescription(
                            "Whether jobs with Flink's FsStateBackend or MemoryStateBackend (on"
                                    + " Flink 1.20 also HashMapStateBackend), set in their code or"
                                    + " by state.backend, keep their state in one of ours instead. Checkpoints are the same, but always"
                                    + " asynchronous. If not, such a job cannot be rescaled.");

    public static final ConfigOption<Boolean> REPLACE_ROCKSDB_BACKENDS =
            ConfigOptions.key("meces.rescale.replace-rocksdb-backends")
                    .booleanType()
                    .defaultValue(true)
                    .withDescription(
                            "Whether, if the jar flink-meces-state-rocksdb is in Flink's lib/, its"
                                    + " state backend takes the place of a RocksDBStateBackend that"
                                    + " a job sets in its code, or that of state.backend: rocksdb."
                                    + " Options, files and checkpoints are the same. If not, such a"
                                    + " job cannot be rescaled.");

    public static final ConfigOption<Integer> ATTEMPTS =
            ConfigOptions.key("meces.rescale.attempts")
                    .intType()
                    .defaultValue(3)
                    .withDescription(
                            "How often a rescale is begun, the first time included, before failures"
                                    + " in it have it given up.");

    public static final ConfigOption<String> STRATEGY =
            ConfigOptions.key("meces.rescale.strategy")
                    .stringType()
                    .defaultValue("minimal-move")
                    .withDescription(
                            "Where the key-groups of a vertex go to: minimal-move, equal shares with"
                                    + " the fewest moves; uniform, the contiguous ranges of a stock"
                                    + " Flink; consistent-hashing; load-aware, by the measured load"
                                    + " of each key-group; or the name of a class of yours that"
                                    + " implements RepartitionStrategy, in lib/ of the JobManager."
                                    + " A request can name another one.");

    public static final ConfigOption<String> TRANSITION_SERVICE =
            ConfigOptions.key("meces.transition-service")
                    .stringType()
                    .defaultValue("netty")
                    .withDescription(
                            "How state travels between TaskManagers: netty, directly; kafka-redis, by"
                                    + " a Kafka and a Redis of yours; or the name of a class of yours that implements TransitionServiceFactory.");

    public static final ConfigOption<Integer> TRANSITION_PORT =
            ConfigOptions.key("meces.transition-service.netty.port")
                    .intType()
                    .defaultValue(0)
                    .withDescription(
                            "TCP port at which a TaskManager accepts state from other TaskManagers;"
                                    + " 0: a free one.");

    public static final ConfigOption<MemorySize> TRANSITION_IN_FLIGHT =
            ConfigOptions.key("meces.transition-service.in-flight")
                    .memoryType()
                    .defaultValue(MemorySize.ofMebiBytes(64))
                    .withDescription(
                            "Bytes of state that the tasks of a TaskManager may have sent and not"
                                    + " seen confirmed before they stop to migrate in the"
                                    + " background. What a record waits for is always sent.");

    public static final ConfigOption<MemorySize> TRANSITION_IN_FLIGHT_PER_PEER =
            ConfigOptions.key("meces.transition-service.in-flight-per-peer")
                    .memoryType()
                    .defaultValue(MemorySize.ofMebiBytes(1))
                    .withDescription(
                            "Bytes of state that a task may have sent in the background to one"
                                    + " other task and not seen confirmed.");

    public static final ConfigOption<MemorySize> TRANSITION_IN_FLIGHT_ON_DEMAND =
            ConfigOptions.key("meces.transition-service.in-flight-on-demand")
                    .memoryType()
                    .defaultValue(MemorySize.parse("8kb"))
                    .withDescription(
                            "The same, if that is less, while records wait for state that the task"
                                    + " gives: less on the way makes them wait less, and the"
                                    + " background slower, the more so the longer a round trip"
                                    + " takes. Not for kafka-redis, whose round trips are too long"
                                    + " for it.");

    public static final ConfigOption<MemorySize> TRANSITION_CHUNK_SIZE =
            ConfigOptions.key("meces.transition-service.chunk-size")
                    .memoryType()
                    .defaultValue(MemorySize.parse("32kb"))
                    .withDescription(
                            "Units that are migrated in the background to one task are collected"
                                    + " until they have so many bytes, or as many as may be in"
                                    + " flight to it if those are less, then sent together. 0 sends"
                                    + " each unit on its own.");

    public static final ConfigOption<Duration> TRANSITION_CHUNK_LINGER =
            ConfigOptions.key("meces.transition-service.chunk-linger")
                    .durationType()
                    .defaultValue(Duration.ofMillis(2))
                    .withDescription("How long a unit waits for others to be sent with.");

    // ------------------------------------------------------------------------
    //  kafka-redis
    // ------------------------------------------------------------------------

    /** What follows this is passed to the Kafka clients. */
    public static final String KAFKA_PREFIX = "meces.kafka.";

    /** As {@link #KAFKA_PREFIX}, for what must not be shown: Flink masks it. */
    public static final String KAFKA_SECRET_PREFIX = "meces.kafka.secret.";

    public static final ConfigOption<String> KAFKA_BOOTSTRAP_SERVERS =
            ConfigOptions.key(KAFKA_PREFIX + "bootstrap.servers")
                    .stringType()
                    .noDefaultValue()
                    .withDescription(
                            "For kafka-redis: the Kafka brokers, host:port, comma-separated. Any"
                                    + " other option of Kafka's clients, such as security.protocol,"
                                    + " is set likewise, with meces.kafka. before its name. Flink"
                                    + " masks what has password or secret in its key; set other"
                                    + " secrets with meces.kafka.secret. before their name, such as"
                                    + " meces.kafka.secret.sasl.jaas.config.");

    public static final ConfigOption<String> KAFKA_REDIS_PREFIX =
            ConfigOptions.key("meces.transition-service.kafka-redis.prefix")
                    .stringType()
                    .defaultValue("meces")
                    .withDescription(
                            "Begins the names of the topics (<prefix>-requests, <prefix>-responses),"
                                    + " and of all keys in Redis (<prefix>:). Must be the same on all"
                                    + " TaskManagers of a cluster; clusters may share it.");

    public static final ConfigOption<Integer> KAFKA_REDIS_PARTITIONS =
            ConfigOptions.key("meces.transition-service.kafka-redis.partitions")
                    .intType()
                    .defaultValue(16)
                    .withDescription(
                            "Partitions of the topic for requests when it is made; that for"
                                    + " responses gets twice as many. Each TaskManager has one of"
                                    + " its own, and two for responses; more are added when they"
                                    + " are all taken.");

    public static final ConfigOption<Integer> KAFKA_REDIS_REPLICATION =
            ConfigOptions.key("meces.transition-service.kafka-redis.replication-factor")
                    .intType()
                    .noDefaultValue()
                    .withDescription(
                            "Replicas of the topics when they are made. Default: the brokers'"
                                    + " default.replication.factor.");

    public static final ConfigOption<Duration> KAFKA_REDIS_TTL =
            ConfigOptions.key("meces.transition-service.kafka-redis.payload-ttl")
                    .durationType()
                    .defaultValue(Duration.ofMinutes(10))
                    .withDescription(
                            "How long a payload may stay in Redis, and a record in Kafka. Payloads"
                                    + " are deleted as soon as they have arrived; this is for"
                                    + " crashes. Should not be less than"
                                    + " meces.migration.timeout.");

    public static final ConfigOption<Duration> KAFKA_REDIS_LEASE =
            ConfigOptions.key("meces.transition-service.kafka-redis.lease")
                    .durationType()
                    .defaultValue(Duration.ofSeconds(30))
                    .withDescription(
                            "How long the partitions of a TaskManager that is gone stay taken. It is"
                                    + " renewed three times in that time.");

    public static final ConfigOption<Duration> KAFKA_REDIS_START_TIMEOUT =
            ConfigOptions.key("meces.transition-service.kafka-redis.start-timeout")
                    .durationType()
                    .defaultValue(Duration.ofSeconds(30))
                    .withDescription(
                            "How long a TaskManager that starts waits for Kafka and Redis.");

    /** How Redis is run. */
    public enum RedisMode {
        /** One server. */
        STANDALONE,
        /** A master that Sentinels know. */
        SENTINEL,
        /** Redis Cluster. */
        CLUSTER
    }

    public static final ConfigOption<RedisMode> REDIS_MODE =
            ConfigOptions.key("meces.redis.mode")
                    .enumType(RedisMode.class)
                    .defaultValue(RedisMode.STANDALONE)
                    .withDescription("STANDALONE, SENTINEL or CLUSTER.");

    public static final ConfigOption<String> REDIS_HOSTS =
            ConfigOptions.key("meces.redis.hosts")
                    .stringType()
                    .noDefaultValue()
                    .withDescription(
                            "For kafka-redis: host:port of the Redis server, of the Sentinels, or of"
                                    + " some nodes of the cluster, comma-separated.");

    public static final ConfigOption<String> REDIS_MASTER =
            ConfigOptions.key("meces.redis.master")
                    .stringType()
                    .noDefaultValue()
                    .withDescription("The name by which the Sentinels know the master.");

    public static final ConfigOption<Integer> REDIS_DATABASE =
            ConfigOptions.key("meces.redis.database")
                    .intType()
                    .defaultValue(0)
                    .withDescription("The number of the database; a cluster has only 0.");

    public static final ConfigOption<String> REDIS_USER =
            ConfigOptions.key("meces.redis.user")
                    .stringType()
                    .noDefaultValue()
                    .withDescription("The user (ACL). Default: Redis' default user.");

    public static final ConfigOption<String> REDIS_PASSWORD =
            ConfigOptions.key("meces.redis.password")
                    .stringType()
                    .noDefaultValue()
                    .withDescription("The password. Default: none.");

    public static final ConfigOption<String> REDIS_SENTINEL_USER =
            ConfigOptions.key("meces.redis.sentinel.user")
                    .stringType()
                    .noDefaultValue()
                    .withDescription("The user at the Sentinels.");

    public static final ConfigOption<String> REDIS_SENTINEL_PASSWORD =
            ConfigOptions.key("meces.redis.sentinel.password")
                    .stringType()
                    .noDefaultValue()
                    .withDescription("The password at the Sentinels.");

    public static final ConfigOption<Duration> REDIS_TIMEOUT =
            ConfigOptions.key("meces.redis.timeout")
                    .durationType()
                    .defaultValue(Duration.ofSeconds(2))
                    .withDescription(
                            "How long a connection, or an answer, is waited for before the"
                                    + " connection is made anew.");

    public static final ConfigOption<Boolean> REDIS_TLS =
            ConfigOptions.key("meces.redis.ssl.enabled")
                    .booleanType()
                    .defaultValue(false)
                    .withDescription("Whether Redis, and the Sentinels, are reached by TLS.");

    public static final ConfigOption<Boolean> REDIS_TLS_VERIFY_HOST =
            ConfigOptions.key("meces.redis.ssl.verify-hostname")
                    .booleanType()
                    .defaultValue(true)
                    .withDescription("Whether the certificate must be of the host.");

    public static final ConfigOption<String> REDIS_TRUSTSTORE =
            ConfigOptions.key("meces.redis.ssl.truststore")
                    .stringType()
                    .noDefaultValue()
                    .withDescription(
                            "File with the certificates to trust (JKS or PKCS12). Default: those"
                                    + " that Java trusts.");

    public static final ConfigOption<String> REDIS_TRUSTSTORE_PASSWORD =
            ConfigOptions.key("meces.redis.ssl.truststore-password")
                    .stringType()
                    .noDefaultValue()
                    .withDescription("Its password.");

    public static final ConfigOption<String> REDIS_KEYSTORE =
            ConfigOptions.key("meces.redis.ssl.keystore")
                    .stringType()
                    .noDefaultValue()
                    .withDescription("File with the certificate of the client (JKS or PKCS12).");

    public static final ConfigOption<String> REDIS_KEYSTORE_PASSWORD =
            ConfigOptions.key("meces.redis.ssl.keystore-password")
                    .stringType()
                    .noDefaultValue()
                    .withDescription("Its password.");
    public static final ConfigOption<Compression> TRANSITION_COMPRESSION =
            ConfigOptions.key("meces.transition-service.compression")
                    .enumType(Compression.class)
                    .defaultValue(Compression.NONE)
                    .withDescription(
                            "How state is compressed that goes from task to task: not at all (NONE),"
                                    + " by LZ4, or by ZSTD, with flink-meces-compression in lib/."
                                    + " For slow networks, as it takes time of the tasks.");

    private MecesOptions() {}
}
