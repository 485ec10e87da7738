#!/usr/bin/env bash
# Flink 1.20.5, flink-connector-kafka 3.4.0-1.20, Kafka 3.9.2: a job that counts the records of a topic in keyed state,
# with FlinkKafkaConsumer (deprecated, and still the source of many jobs of 1.x). It counts 500 records, a checkpoint
# completes, it counts 500 more, and is stopped by "stop with savepoint". A job starts from the savepoint.
# Expected: it goes on behind the 1,000 records that the savepoint has counted, as with KafkaSource, and as after
#   a savepoint and a cancellation. That is what "stop with savepoint" is for.
# Seen: the second 500 are read and counted again. Flink cancels a SourceFunction before it takes that savepoint, and a
#   FlinkKafkaConsumer that has been cancelled stores nothing: the savepoint has the offsets of the last checkpoint
#   beside the counts of now. Nothing is logged above DEBUG. (Flink 1.12 takes the savepoint first.)
set -euo pipefail
work=$(mktemp -d)
broker=
trap '[ -z "$broker" ] || kill "$broker" 2> /dev/null || true; rm -rf "$work"' EXIT
cd "$work"
flink=1.20.5
connector=3.4.0-1.20
kafka=3.9.2
cat > pom.xml <<POM
<project>
  <modelVersion>4.0.0</modelVersion>
  <groupId>finding</groupId><artifactId>finding</artifactId><version>1</version><packaging>pom</packaging>
  <dependencies>
    <dependency><groupId>org.apache.flink</groupId><artifactId>flink-clients</artifactId><version>$flink</version></dependency>
    <dependency><groupId>org.apache.flink</groupId><artifactId>flink-connector-base</artifactId><version>$flink</version></dependency>
    <dependency><groupId>org.apache.flink</groupId><artifactId>flink-connector-kafka</artifactId><version>$connector</version></dependency>
  </dependencies>
</project>
POM
cat > broker.xml <<POM
<project>
  <modelVersion>4.0.0</modelVersion>
  <groupId>finding</groupId><artifactId>broker</artifactId><version>1</version><packaging>pom</packaging>
  <dependencies>
    <dependency><groupId>org.apache.kafka</groupId><artifactId>kafka_2.13</artifactId><version>$kafka</version></dependency>
  </dependencies>
</project>
POM
mvn -q -B dependency:copy-dependencies -DoutputDirectory=lib > /dev/null
mvn -q -B -f broker.xml dependency:copy-dependencies -DoutputDirectory=broker > /dev/null
read -r port controller < <(python3 -c '
import socket
sockets = [socket.socket() for _ in range(2)]
for s in sockets: s.bind(("127.0.0.1", 0))
print(*[s.getsockname()[1] for s in sockets])')
cat > server.properties <<PROPERTIES
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:$controller
listeners=PLAINTEXT://127.0.0.1:$port,CONTROLLER://127.0.0.1:$controller
advertised.listeners=PLAINTEXT://127.0.0.1:$port
controller.listener.names=CONTROLLER
log.dirs=$work/topics
offsets.topic.replication.factor=1
group.initial.rebalance.delay.ms=0
PROPERTIES
java -Xmx512m -cp 'broker/*' kafka.tools.StorageTool format -t AAAAAAAAAAAAAAAAAAAAAg -c server.properties \
  > broker.log 2>&1
java -Xmx512m -cp 'broker/*' kafka.Kafka server.properties >> broker.log 2>&1 &
broker=$!
cat > Stopped.java <<'JAVA'
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.serialization.SimpleStringSchema;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.jobgraph.SavepointRestoreSettings;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.streaming.connectors.kafka.FlinkKafkaConsumer;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;

public class Stopped {
    static final int PART = 500;
    static final Map<String, Long> COUNTS = new ConcurrentHashMap<>();

    static String servers;
    static String folder;
    static MiniCluster cluster;

    public static class Count extends KeyedProcessFunction<String, String, String> {
        private ValueState<Long> count;

        @Override
        public void open(OpenContext context) {
            count = getRuntimeContext().getState(new ValueStateDescriptor<>("count", Types.LONG));
        }

        @Override
        public void processElement(String record, Context context, Collector<String> out) throws Exception {
            count.update(count.value() == null ? 1 : count.value() + 1);
            COUNTS.put(record, count.value());
        }
    }

    static Properties properties() {
        Properties properties = new Properties();
        properties.setProperty("bootstrap.servers", servers);
        return properties;
    }

    static void send(String topic, int from) throws Exception {
        try (var producer = new KafkaProducer<>(properties(), new StringSerializer(), new StringSerializer())) {
            for (int i = from; i < from + PART; i++) {
                producer.send(new ProducerRecord<>(topic, String.valueOf(i)));
            }
            producer.flush();
        }
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (COUNTS.size() < from + PART) {
            if (System.nanoTime() - deadline > 0) {
                throw new IllegalStateException("not all are counted: " + COUNTS.size());
            }
            Thread.sleep(20);
        }
    }

    static JobID start(String topic, boolean legacy, String savepoint) throws Exception {
        var env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.setParallelism(1);
        env.enableCheckpointing(TimeUnit.HOURS.toMillis(1));
        DataStream<String> records;
        if (legacy) {
            var source = new FlinkKafkaConsumer<>(topic, new SimpleStringSchema(), properties());
            source.setStartFromEarliest();
            records = env.addSource(source);
        } else {
            records = env.fromSource(
                    KafkaSource.<String>builder()
                            .setBootstrapServers(servers)
                            .setTopics(topic)
                            .setStartingOffsets(OffsetsInitializer.earliest())
                            .setValueOnlyDeserializer(new SimpleStringSchema())
                            .build(),
                    WatermarkStrategy.noWatermarks(), "records");
        }
        records.keyBy(record -> record).process(new Count()).uid("count").sinkTo(new DiscardingSink<>());
        var graph = env.getStreamGraph().getJobGraph();
        if (savepoint != null) {
            graph.setSavepointRestoreSettings(SavepointRestoreSettings.forPath(savepoint));
        }
        cluster.submitJob(graph).get();
        return graph.getJobID();
    }

    // How many records are counted twice at the end.
    static long twice(String topic, boolean legacy, boolean stop) throws Exception {
        COUNTS.clear();
        JobID job = start(topic, legacy, null);
        send(topic, 0);
        cluster.triggerCheckpoint(job).get(60, TimeUnit.SECONDS);
        send(topic, PART);
        String savepoint = (stop
                        ? cluster.stopWithSavepoint(job, folder, false, SavepointFormatType.CANONICAL)
                        : cluster.triggerSavepoint(job, folder, true, SavepointFormatType.CANONICAL))
                .get(60, TimeUnit.SECONDS);
        job = start(topic, legacy, savepoint);
        send(topic, 2 * PART);
        cluster.cancelJob(job).get(60, TimeUnit.SECONDS);
        long twice = COUNTS.values().stream().filter(count -> count == 2).count();
        System.out.printf("%s, %s: %d of %d records are counted twice%n",
                legacy ? "FlinkKafkaConsumer" : "KafkaSource",
                stop ? "stop with savepoint" : "savepoint and cancellation", twice, 3 * PART);
        return twice;
    }

    public static void main(String[] args) throws Exception {
        servers = args[0];
        folder = "file://" + args[1];
        var configuration = new Configuration();
        configuration.setString("rest.bind-port", "0");
        var setting = new MiniClusterConfiguration.Builder()
                .setConfiguration(configuration).setNumTaskManagers(1).setNumSlotsPerTaskManager(2).build();
        cluster = new MiniCluster(setting);
        cluster.start();
        boolean asSeen = twice("a", true, true) == PART
                && twice("b", true, false) == 0
                && twice("c", false, true) == 0;
        System.out.println(asSeen ? "as seen before" : "DIFFERENT from what was seen");
        Runtime.getRuntime().halt(asSeen ? 0 : 1);
    }
}
JAVA
javac --release 17 -nowarn -cp 'lib/*' Stopped.java 2> /dev/null
for _ in $(seq 120); do
  (exec 3<> "/dev/tcp/127.0.0.1/$port") 2> /dev/null && break
  sleep 0.5
done
echo "Flink $flink, connector $connector, Kafka $kafka"
timeout 300 java -Xmx700m -Djava.io.tmpdir="$work" --add-opens java.base/java.util=ALL-UNNAMED \
  --add-opens java.base/java.lang=ALL-UNNAMED -cp 'lib/*:.' Stopped "127.0.0.1:$port" "$work/savepoints" 2> /dev/null
