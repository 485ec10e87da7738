#!/usr/bin/env bash
# Flink 1.20.5 and 2.3.0: security.ssl.internal.enabled with one key pair as keystore and truststore, made as Flink's
# documentation makes it (keytool -genkeypair -alias flink.internal -dname "CN=flink.internal", no names of hosts).
# The job sends records between two TaskManagers.
# Expected: it runs on both. The ends of a connection within the cluster show each other that one certificate, which
#   belongs to no host. Names of hosts are a matter of REST alone, by the comments in the code of 2.3.0, and checked
#   there if security.ssl.rest.verify-hostname says so, which by default it does not.
# Seen: 1.20.5 runs it. On 2.3.0 the job fails as soon as a TaskManager connects to another one: "No subject alternative
#   names present" or "No name matching localhost found". Netty 4.2, which 2.x has, checks names of hosts unless it is
#   told otherwise, and Flink tells it for REST alone. A job in one TaskManager does not notice.
# What to do before the upgrade: a certificate that names each host of the cluster.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
cat > Exchange.java <<'JAVA'
import java.util.concurrent.TimeUnit;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

public class Exchange {
    public static void main(String[] args) throws Exception {
        var configuration = new Configuration();
        configuration.setString("rest.port", "0");
        configuration.setString("restart-strategy.type", "none");
        configuration.setString("taskmanager.memory.managed.size", "8m");
        configuration.setString("security.ssl.internal.enabled", "true");
        configuration.setString("security.ssl.internal.keystore", args[0]);
        configuration.setString("security.ssl.internal.truststore", args[0]);
        configuration.setString("security.ssl.internal.keystore-password", "internal_store");
        configuration.setString("security.ssl.internal.key-password", "internal_store");
        configuration.setString("security.ssl.internal.truststore-password", "internal_store");
        var env = StreamExecutionEnvironment.getExecutionEnvironment(configuration);
        env.setParallelism(2);
        env.fromSequence(1, 1000).keyBy(n -> n % 7).reduce(Long::sum).print();
        var graph = env.getStreamGraph().getJobGraph();
        String seen;
        try (var cluster = new MiniCluster(new MiniClusterConfiguration.Builder()
                .setConfiguration(configuration).setNumTaskManagers(2).setNumSlotsPerTaskManager(1).build())) {
            cluster.start();
            cluster.submitJob(graph).get(60, TimeUnit.SECONDS);
            var failure = cluster.requestJobResult(graph.getJobID()).get(120, TimeUnit.SECONDS).getSerializedThrowable();
            if (failure.isEmpty()) {
                seen = "finishes";
            } else {
                Throwable cause = failure.get().deserializeError(Exchange.class.getClassLoader());
                while (cause.getCause() != null) {
                    cause = cause.getCause();
                }
                seen = "fails: " + cause.getMessage();
            }
        }
        System.err.println("SEEN " + seen);
        Runtime.getRuntime().halt(0);
    }
}
JAVA
for flink in 1.20.5 2.3.0; do
  mkdir "$flink"
  cat > "$flink/pom.xml" <<POM
<project>
  <modelVersion>4.0.0</modelVersion>
  <groupId>finding</groupId><artifactId>finding</artifactId><version>1</version><packaging>pom</packaging>
  <dependencies>
    <dependency><groupId>org.apache.flink</groupId><artifactId>flink-clients</artifactId><version>$flink</version></dependency>
  </dependencies>
</project>
POM
  (cd "$flink" && mvn -q -B dependency:copy-dependencies -DoutputDirectory=lib > /dev/null)
  javac --release 17 -nowarn -cp "$flink/lib/*" -d "$flink" Exchange.java 2> /dev/null
done
keytool -genkeypair -alias flink.internal -keystore internal.keystore -dname "CN=flink.internal" \
  -storepass internal_store -keyalg RSA -keysize 4096 -storetype PKCS12 2> /dev/null
run() {
  timeout 200 java -Xmx700m -Djava.io.tmpdir="$work" --add-opens java.base/java.util=ALL-UNNAMED \
    --add-opens java.base/java.lang=ALL-UNNAMED --add-opens java.base/java.nio=ALL-UNNAMED \
    -cp "$1/lib/*:$1" Exchange "$work/internal.keystore" 2>&1 > /dev/null | sed -n 's/^SEEN //p'
}
before=$(run 1.20.5)
after=$(run 2.3.0)
echo "Flink 1.20.5: $before"
echo "Flink 2.3.0:  $after"
if [ "$before" = finishes ] && [[ "$after" == fails:* ]]; then
  echo "as seen before"
else
  echo "DIFFERENT from what was seen"
  exit 1
fi
