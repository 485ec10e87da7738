#!/usr/bin/env bash
# Flink 1.20.5, MapState whose entries are changed while they are iterated, by Map.Entry.setValue(); heap and RocksDB.
# Expected: the change is kept, as it is without a time to live; or UnsupportedOperationException.
# Seen: kept without a time to live, on both backends. As soon as the descriptor has one, setValue() changes an object
#   that nobody reads again: no error, no log, and the old values stay. To give a state a time to live is a change of
#   one line, far from the loop that stops working.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
flink=1.20.5
cat > pom.xml <<POM
<project>
  <modelVersion>4.0.0</modelVersion>
  <groupId>finding</groupId><artifactId>finding</artifactId><version>1</version><packaging>pom</packaging>
  <dependencies>
    <dependency><groupId>org.apache.flink</groupId><artifactId>flink-clients</artifactId><version>$flink</version></dependency>
    <dependency><groupId>org.apache.flink</groupId><artifactId>flink-statebackend-rocksdb</artifactId><version>$flink</version></dependency>
  </dependencies>
</project>
POM
mvn -q -B dependency:copy-dependencies -DoutputDirectory=lib > /dev/null
cat > SetValue.java <<'JAVA'
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.StateTtlConfig;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;

public class SetValue {
    static class Doubled extends KeyedProcessFunction<Integer, Integer, String> {
        private final boolean expires;
        private MapState<String, Integer> prices;

        Doubled(boolean expires) {
            this.expires = expires;
        }

        @Override
        public void open(OpenContext context) {
            var descriptor = new MapStateDescriptor<>("prices", Types.STRING, Types.INT);
            if (expires) {
                descriptor.enableTimeToLive(StateTtlConfig.newBuilder(Duration.ofDays(1)).build());
            }
            prices = getRuntimeContext().getMapState(descriptor);
        }

        @Override
        public void processElement(Integer record, Context context, Collector<String> out) throws Exception {
            prices.put("pear", 1);
            prices.put("plum", 2);
            for (Map.Entry<String, Integer> price : prices.entries()) {
                price.setValue(2 * price.getValue());
            }
            var now = new TreeMap<String, Integer>();
            for (Map.Entry<String, Integer> price : prices.entries()) {
                now.put(price.getKey(), price.getValue());
            }
            out.collect(now.toString());
        }
    }

    static String run(String backend, boolean expires) throws Exception {
        var configuration = new Configuration();
        configuration.setString("state.backend.type", backend);
        configuration.setString("rest.bind-port", "0");
        var env = StreamExecutionEnvironment.getExecutionEnvironment(configuration);
        env.setParallelism(1);
        try (var results = env.fromData(1).keyBy(record -> record).process(new Doubled(expires)).executeAndCollect()) {
            return results.next();
        }
    }

    public static void main(String[] args) throws Exception {
        boolean asSeen = true;
        for (String backend : new String[] {"hashmap", "rocksdb"}) {
            String kept = run(backend, false);
            String expiring = run(backend, true);
            System.out.printf("%s: doubled by setValue() %s; the same with a time to live %s%n", backend, kept, expiring);
            asSeen &= kept.equals("{pear=2, plum=4}") && expiring.equals("{pear=1, plum=2}");
        }
        System.out.println(asSeen ? "as seen before" : "DIFFERENT from what was seen");
        Runtime.getRuntime().halt(asSeen ? 0 : 1);
    }
}
JAVA
javac --release 17 -nowarn -cp 'lib/*' SetValue.java
echo "Flink $flink"
timeout 300 java -Xmx700m -Djava.io.tmpdir="$work" --add-opens java.base/java.util=ALL-UNNAMED \
  --add-opens java.base/java.lang=ALL-UNNAMED -cp 'lib/*:.' SetValue 2> /dev/null
