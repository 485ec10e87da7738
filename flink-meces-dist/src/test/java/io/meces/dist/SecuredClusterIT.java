// SPDX-License-Identifier: Apache-2.0
package io.meces.dist;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.cli.rest.ClientTls;
import io.meces.cli.rest.JobManagerAddress;
import io.meces.experiments.cluster.FlinkClient;
import io.meces.servers.FreePorts;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.time.Duration;
import java.util.Base64;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import okhttp3.mockwebserver.Dispatcher;
import okhttp3.mockwebserver.MockResponse;
import okhttp3.mockwebserver.MockWebServer;
import okhttp3.mockwebserver.RecordedRequest;
import okhttp3.tls.HandshakeCertificates;
import okhttp3.tls.HeldCertificate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A stock Flink as users secure and set it up: TLS with certificates on both sides, within and to
 * its REST interface, and a proxy in front of that; ports of ranges, plugins, a reporter of
 * metrics, an external resource, no submission by the web page. A job is rescaled there by {@code
 * bin/meces}, under load, and counted.
 */
@Tag("full")
class SecuredClusterIT {
    private static final Path HOME = Paths.get(System.getProperty("meces.home"));
    private static final String SECTION = "TLS and proxies";
    private static final String PASSWORD = "changeit";
    private static final String CREDENTIALS = "anna:her password";
    private static final String PATH = "/flink/";
    private static final Pattern JOB_ID = Pattern.compile("JobID ([0-9a-f]{32})");

    private final HeldCertificate ca =
            new HeldCertificate.Builder().rsa2048().certificateAuthority(0).build();
    private final HeldCertificate cluster =
            new HeldCertificate.Builder()
                    .rsa2048()
                    .signedBy(ca)
                    .addSubjectAlternativeName("localhost")
                    .build();
    private final HeldCertificate user =
            new HeldCertificate.Builder().rsa2048().signedBy(ca).commonName("anna").build();

    private final int[] ports = FreePorts.find(2);

    SecuredClusterIT() throws IOException {}

    @Test
    @Timeout(value = 6, unit = TimeUnit.MINUTES)
    void aJobIsRescaledOnASecuredCluster() throws Exception {
        try (GuidedInstallation installation =
                        new GuidedInstallation("secured", SECTION, Duration.ofMinutes(5));
                Daemons daemons = new Daemons(installation.directory.resolve("pids"));
                MockWebServer proxy = new MockWebServer()) {
            Path files = installation.flink.distribution();
            configure(installation);
            giveFiles(files);
            Shell shell = installation.shell;
            shell.run("bin/meces-jobmanager.sh start");
            shell.run("$FLINK_HOME/bin/taskmanager.sh start");
            shell.run("$FLINK_HOME/bin/taskmanager.sh start");
            FlinkClient client =
                    new FlinkClient(
                            JobManagerAddress.parse("localhost:" + ports[0], true),
                            "",
                            new ClientTls()
                                    .trustPem(files.resolve("ca.crt"))
                                    .showPem(
                                            files.resolve("client.crt"),
                                            files.resolve("client.key")),
                            null);
            installation.startKafka();
            Await.until(() -> client.slots() == 4);
            startProxy(proxy);

            try (CountedJob counted = installation.countedJob("secured")) {
                String jobId = submit(installation);
                Await.until(() -> client.allRunning(jobId, 2));
                counted.start(client, jobId);
                for (String command : installation.commands()) {
                    assertThat(shell.run("env -u FLINK_HOME " + adapted(command, proxy)))
                            .contains(jobId + "  RUNNING", "parallelism 2 (up to 32)  count");
                }
                // by the configuration of this machine, and by the proxy
                assertThat(shell.run(rescale(jobId, 3, ""))).contains("FINISHED");
                assertThat(
                                shell.run(
                                        adapted(
                                                rescale(
                                                        jobId,
                                                        2,
                                                        " --jobmanager https://gateway:8443/flink/"
                                                                + " --cacert ca.crt"
                                                                + " --credentials credentials"),
                                                proxy)))
                        .contains("FINISHED");
                assertMistakesAreTold(shell, proxy);
                assertPluginsWork(shell);
                shell.note(counted.assertExact(client, jobId, 0, 1, 2));
                shell.run("$FLINK_HOME/bin/flink cancel " + jobId);
            }
            shell.run("$FLINK_HOME/bin/taskmanager.sh stop-all");
            shell.run("bin/meces-jobmanager.sh stop");
        }
    }

    private static String rescale(String jobId, int parallelism, String more) {
        return "bin/meces rescale "
                + jobId
                + " --vertex count --parallelism "
                + parallelism
                + " --wait"
                + more;
    }

    private void configure(GuidedInstallation installation) throws Exception {
        Path directory = installation.directory;
        String keys = keystore(directory.resolve("cluster.p12"));
        Path discovery =
                Files.write(
                        directory.resolve("discover.sh"),
                        "#!/bin/sh\necho 0\n".getBytes(StandardCharsets.UTF_8));
        assertThat(discovery.toFile().setExecutable(true)).isTrue();
        installation.flink.configure(
                "rest.port: " + ports[0],
                "rest.bind-port: " + ports[0],
                "jobmanager.rpc.port: " + ports[1],
                "jobmanager.bind-host: 0.0.0.0",
                "taskmanager.host: localhost",
                "taskmanager.bind-host: 0.0.0.0",
                "blob.server.port: 51100-51199",
                "taskmanager.rpc.port: 51200-51299",
                "metrics.internal.query-service.port: 51300-51399",
                "env.pid.dir: " + directory.resolve("pids"),
                "jobmanager.memory.process.size: 1000m",
                "taskmanager.memory.process.size: 1400m",
                "web.submit.enable: false",
                "jobmanager.execution.failover-strategy: full",
                "cluster.evenly-spread-out-slots: true",
                "metrics.reporters: prom",
                "metrics.reporter.prom.class:"
                        + " org.apache.flink.metrics.prometheus.PrometheusReporter",
                "metrics.reporter.prom.port: 51400-51499",
                "external-resources: gpu",
                "external-resource.gpu.amount: 1",
                "external-resource.gpu.driver-factory.class:"
                        + " org.apache.flink.externalresource.gpu.GPUDriverFactory",
                "external-resource.gpu.param.discovery-script.path: " + discovery,
                "security.ssl.algorithms: TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256");
        for (String side : new String[] {"internal", "rest"}) {
            String prefix = "security.ssl." + side + ".";
            installation.flink.configure(
                    prefix + "keystore: " + keys,
                    prefix + "truststore: " + keys,
                    prefix + "keystore-password: " + PASSWORD,
                    prefix + "key-password: " + PASSWORD,
                    prefix + "truststore-password: " + PASSWORD);
        }
    }

    private String keystore(Path file) throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        store.setCertificateEntry("ca", ca.certificate());
        store.setKeyEntry(
                "cluster",
                cluster.keyPair().getPrivate(),
                PASSWORD.toCharArray(),
                new Certificate[] {cluster.certificate(), ca.certificate()});
        try (OutputStream to = Files.newOutputStream(file)) {
            store.store(to, PASSWORD.toCharArray());
        }
        return file.toString();
    }

    private void giveFiles(Path directory) throws IOException {
        write(directory.resolve("ca.crt"), ca.certificatePem());
        write(directory.resolve("client.crt"), user.certificatePem());
        write(directory.resolve("client.key"), user.privateKeyPkcs8Pem());
        write(directory.resolve("credentials"), CREDENTIALS + "\n");
    }

    private static void write(Path file, String text) throws IOException {
        Files.write(file, text.getBytes(StandardCharsets.UTF_8));
    }

    private static String submit(GuidedInstallation installation) throws IOException {
        StringBuilder printed = new StringBuilder();
        for (String command :
                new DocumentedCommands(HOME.resolve("docs").resolve("user-guide.md"))
                        .of("Run a job")) {
            printed.append(installation.shell.run(installation.adapted(command, "secured")));
        }
        Matcher id = JOB_ID.matcher(printed);
        assertThat(id.find()).as("an id in %s", printed).isTrue();
        return id.group(1);
    }

    private String adapted(String command, MockWebServer proxy) {
        return command.replace("https://jobmanager:8081", "https://localhost:" + ports[0])
                .replace("https://gateway:8443", "https://localhost:" + proxy.getPort());
    }

    private void assertMistakesAreTold(Shell shell, MockWebServer proxy) throws IOException {
        String direct = "env -u FLINK_HOME bin/meces list --jobmanager ";
        String https = direct + "https://localhost:" + ports[0];
        assertTold(shell, direct + "localhost:" + ports[0], 4, "it wants TLS");
        assertTold(shell, https, 4, "its certificate is not trusted");
        assertTold(shell, https + " --cacert ca.crt", 4, "--cert FILE and --key FILE");
        String through = direct + "https://localhost:" + proxy.getPort();
        assertTold(shell, through + PATH + " --cacert ca.crt", 3, "MECES_REST_USER");
        assertTold(shell, through + " --cacert ca.crt", 3, "Is the path right?");
        assertTold(
                shell,
                "MECES_REST_USER=anna MECES_REST_PASSWORD=no "
                        + "bin/meces list --jobmanager https://localhost:"
                        + proxy.getPort()
                        + PATH
                        + " --cacert ca.crt",
                3,
                "does not accept user anna");
    }

    private static void assertTold(Shell shell, String command, int exitCode, String text)
            throws IOException {
        Shell.Result result = shell.tryOut(command);
        assertThat(result.output).contains(text);
        assertThat(result.exitCode).isEqualTo(exitCode);
    }

    /** The reporter is a plugin, and shows metrics of ours; tasks have found the resource. */
    private static void assertPluginsWork(Shell shell) throws IOException {
        assertThat(
                        shell.run(
                                "for port in $(seq 51400 51403); do curl -s localhost:$port | grep"
                                        + " -i meces | head -3; done"))
                .containsIgnoringCase("meces");
        assertThat(shell.run("grep -h -i 'external resource' $FLINK_HOME/log/*taskexecutor*.log"))
                .isNotEmpty();
    }

    private void startProxy(MockWebServer proxy) throws IOException {
        HandshakeCertificates own =
                new HandshakeCertificates.Builder().heldCertificate(cluster).build();
        HandshakeCertificates towards =
                new HandshakeCertificates.Builder()
                        .addTrustedCertificate(ca.certificate())
                        .heldCertificate(user)
                        .build();
        OkHttpClient client =
                new OkHttpClient.Builder()
                        .sslSocketFactory(towards.sslSocketFactory(), towards.trustManager())
                        .build();
        proxy.useHttps(own.sslSocketFactory(), false);
        proxy.setDispatcher(
                new Dispatcher() {
                    @Override
                    public MockResponse dispatch(RecordedRequest request) {
                        return answer(client, request);
                    }
                });
        proxy.start(InetAddress.getByName("localhost"), 0);
    }

    private MockResponse answer(OkHttpClient client, RecordedRequest request) {
        String expected =
                "Basic "
                        + Base64.getEncoder()
                                .encodeToString(CREDENTIALS.getBytes(StandardCharsets.UTF_8));
        if (!request.getPath().startsWith(PATH)) {
            return new MockResponse().setResponseCode(404).setBody("<html>Nothing here</html>");
        }
        if (!expected.equals(request.getHeader("Authorization"))) {
            return new MockResponse()
                    .setResponseCode(401)
                    .setHeader("WWW-Authenticate", "Basic realm=\"flink\"");
        }
        byte[] body = request.getBody().readByteArray();
        Request onward =
                new Request.Builder()
                        .url(
                                "https://localhost:"
                                        + ports[0]
                                        + "/"
                                        + request.getPath().substring(PATH.length()))
                        .method(
                                request.getMethod(),
                                body.length == 0 ? null : RequestBody.create(body))
                        .build();
        try (Response response = client.newCall(onward).execute()) {
            return new MockResponse()
                    .setResponseCode(response.code())
                    .setBody(response.body().string());
        } catch (IOException e) {
            return new MockResponse().setResponseCode(502).setBody(e.toString());
        }
    }
}
