// SPDX-License-Identifier: Apache-2.0
package io.meces.dist;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ApplicationReport;
import org.apache.hadoop.yarn.client.api.YarnClient;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.apache.hadoop.yarn.server.MiniYARNCluster;

/**
 * A YARN of one ResourceManager and two NodeManagers in this JVM, whose containers are processes,
 * on the local file system. What a user of it has on a machine, a configuration and the command
 * {@code hadoop}, is in a directory. Not thread-safe.
 */
final class MiniYarn implements AutoCloseable {
    private static final int NODE_MANAGERS = 2;

    /** What it binds to its web pages; this reference keeps the level. */
    private static final Logger CHATTER = Logger.getLogger("org.apache.hadoop.shaded.com.sun");

    private final Path directory;
    private final MiniYARNCluster cluster;
    private final YarnClient client;

    /** Starts it; its files, and the logs of its containers, are in an empty directory. */
    MiniYarn(Path directory) throws IOException {
        this.directory = directory;
        Files.createDirectories(directory);
        CHATTER.setLevel(Level.WARNING);
        System.setProperty("yarn.is.minicluster", "true");
        System.setProperty("test.build.data", directory.toString());
        System.setProperty("test.build.dir", directory.toString());
        String classPath = classPath();
        YarnConfiguration configuration = new YarnConfiguration();
        configuration.set("fs.defaultFS", "file:///");
        configuration.setInt(YarnConfiguration.YARN_MINICLUSTER_NM_PMEM_MB, 6144);
        configuration.setInt(YarnConfiguration.RM_SCHEDULER_MINIMUM_ALLOCATION_MB, 128);
        configuration.set("yarn.scheduler.capacity.root.queues", "default");
        configuration.set("yarn.scheduler.capacity.root.default.capacity", "100");
        configuration.set("yarn.scheduler.capacity.maximum-am-resource-percent", "1");
        // this machine has as much disk as it has
        configuration.setFloat(YarnConfiguration.NM_MAX_PER_DISK_UTILIZATION_PERCENTAGE, 100f);
        configuration.setBoolean(YarnConfiguration.NM_VMEM_CHECK_ENABLED, false);
        configuration.set(
                YarnConfiguration.YARN_APPLICATION_CLASSPATH,
                configurationDirectory() + "," + classPath.replace(':', ','));
        configuration.set(
                YarnConfiguration.NM_ADMIN_USER_ENV,
                "JAVA_HOME=" + System.getProperty("java.home"));
        cluster = new MiniYARNCluster("yarn", NODE_MANAGERS, 1, 1);
        cluster.init(configuration);
        cluster.start();
        client = YarnClient.createYarnClient();
        client.init(cluster.getConfig());
        client.start();
        describe(cluster.getConfig(), classPath);
    }

    /** What {@code HADOOP_CONF_DIR} is. */
    Path configurationDirectory() {
        return directory.resolve("etc");
    }

    /** Where the command {@code hadoop} is, of which there is {@code hadoop classpath} only. */
    Path commands() {
        return directory.resolve("bin");
    }

    /** What YARN knows of an application. */
    ApplicationReport application(String id) throws IOException {
        try {
            return client.getApplicationReport(ApplicationId.fromString(id));
        } catch (YarnException e) {
            throw new IOException(e);
        }
    }

    /** The log of the JobManager of an application, while it runs and afterwards. */
    String jobManagerLog(String id) throws IOException {
        StringBuilder text = new StringBuilder();
        try (Stream<Path> files = Files.walk(directory)) {
            List<Path> logs =
                    files.filter(file -> file.endsWith("jobmanager.log"))
                            .filter(file -> file.toString().contains(id))
                            .collect(Collectors.toList());
            for (Path log : logs) {
                text.append(new String(Files.readAllBytes(log), StandardCharsets.UTF_8));
            }
        }
        return text.toString();
    }

    @Override
    public void close() {
        client.stop();
        cluster.stop();
    }

    private void describe(Configuration configuration, String classPath) throws IOException {
        Files.createDirectories(configurationDirectory());
        for (String file : Arrays.asList("core-site.xml", "yarn-site.xml")) {
            try (OutputStream out = Files.newOutputStream(configurationDirectory().resolve(file))) {
                configuration.writeXml(out);
            }
        }
        Files.createDirectories(commands());
        Path hadoop = commands().resolve("hadoop");
        Files.write(hadoop, Arrays.asList("#!/bin/sh", "echo '" + classPath + "'"));
        if (!hadoop.toFile().setExecutable(true)) {
            throw new IOException(hadoop + " cannot be made executable.");
        }
    }

    /** The jars of this JVM that are a client of YARN. */
    private static String classPath() {
        Set<String> jars = new LinkedHashSet<>();
        for (Class<?> type :
                Arrays.asList(
                        // hadoop-client-api and hadoop-client-runtime
                        YarnClient.class,
                        shaded("org.apache.hadoop.shaded.com.google.common.base.Preconditions"),
                        org.apache.commons.logging.LogFactory.class)) {
            jars.add(
                    Paths.get(type.getProtectionDomain().getCodeSource().getLocation().getPath())
                            .toString());
        }
        return String.join(":", jars);
    }

    private static Class<?> shaded(String name) {
        try {
            return Class.forName(name);
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
    }
}
