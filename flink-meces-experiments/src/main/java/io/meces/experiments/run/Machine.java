// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.run;

import com.sun.management.OperatingSystemMXBean;
import io.meces.experiments.cluster.Installation;
import java.lang.management.ManagementFactory;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.annotation.Nullable;

/** On what something has been measured, for its report. */
public final class Machine {

    private Machine() {}

    /** The memory of the machine in MB; null if the JVM does not tell. */
    @Nullable
    public static Long memoryMegabytes() {
        java.lang.management.OperatingSystemMXBean system =
                ManagementFactory.getOperatingSystemMXBean();
        return system instanceof OperatingSystemMXBean
                ? Long.valueOf(((OperatingSystemMXBean) system).getTotalPhysicalMemorySize() >> 20)
                : null;
    }

    /** Versions and the machine. */
    public static Map<String, Object> describe(Installation installation) {
        Map<String, Object> environment = new LinkedHashMap<>();
        environment.put("flink-meces", installation.version());
        environment.put("flink", installation.flinkVersion());
        environment.put("java", System.getProperty("java.version"));
        environment.put(
                "os", System.getProperty("os.name") + " " + System.getProperty("os.version"));
        environment.put("processors", Runtime.getRuntime().availableProcessors());
        environment.put("memory-mb", memoryMegabytes());
        environment.put("kafka", installation.kafkaVersion());
        return environment;
    }
}
