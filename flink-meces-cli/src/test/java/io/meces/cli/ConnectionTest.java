// SPDX-License-Identifier: Apache-2.0
package io.meces.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.MessageDigest;
import java.security.cert.Certificate;
import java.util.Base64;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import okhttp3.Protocol;
import okhttp3.mockwebserver.Dispatcher;
import okhttp3.mockwebserver.MockResponse;
import okhttp3.mockwebserver.MockWebServer;
import okhttp3.mockwebserver.RecordedRequest;
import okhttp3.mockwebserver.SocketPolicy;
import okhttp3.tls.HandshakeCertificates;
import okhttp3.tls.HeldCertificate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** How the command line reaches a JobManager: TLS, proxies, and where it takes the address from. */
class ConnectionTest {
    private static final String JOBS =
            "{\"jobs\":[{\"jid\":\"j1\",\"name\":\"one\",\"state\":\"CANCELED\"}]}";
    private static final String STORE_PASSWORD = "of-the-store";

    private static final HeldCertificate CA =
            new HeldCertificate.Builder().certificateAuthority(0).commonName("ca").build();
    private static final HeldCertificate SERVER =
            new HeldCertificate.Builder()
                    .signedBy(CA)
                    .addSubjectAlternativeName("127.0.0.1")
                    .build();
    private static final HeldCertificate OTHER_NAME =
            new HeldCertificate.Builder()
                    .signedBy(CA)
                    .addSubjectAlternativeName("elsewhere.example")
                    .build();
    private static final HeldCertificate CLIENT =
            new HeldCertificate.Builder().signedBy(CA).rsa2048().commonName("client").build();
    private static final HeldCertificate STRANGER =
            new HeldCertificate.Builder().commonName("stranger").build();

    @TempDir private Path directory;
    private final MockWebServer server = new MockWebServer();
    private final Map<String, String> environment = new HashMap<>();
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @BeforeEach
    void answerWithJobs() {
        server.setDispatcher(
                new Dispatcher() {
                    @Override
                    public MockResponse dispatch(RecordedRequest request) {
                        return new MockResponse().setBody(JOBS);
                    }
                });
    }

    @AfterEach
    void stop() throws IOException {
        server.close();
    }

    private void start() throws IOException {
        server.start(InetAddress.getByName("127.0.0.1"), 0);
    }

    private void startWithTls(HeldCertificate certificate) throws IOException {
        server.useHttps(
                new HandshakeCertificates.Builder()
                        .heldCertificate(certificate)
                        .addTrustedCertificate(CA.certificate())
                        .build()
                        .sslSocketFactory(),
                false);
        start();
    }

    private String url() {
        return "https://127.0.0.1:" + server.getPort();
    }

    private Path file(String name, String text) throws IOException {
        return Files.write(directory.resolve(name), text.getBytes(StandardCharsets.UTF_8));
    }

    private String ca() throws IOException {
        return file("ca.crt", CA.certificatePem()).toString();
    }

    private String keystore(String name, HeldCertificate held) throws Exception {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        if (held == CA) {
            store.setCertificateEntry("ca", CA.certificate());
        } else {
            store.setKeyEntry(
                    "own",
                    held.keyPair().getPrivate(),
                    STORE_PASSWORD.toCharArray(),
                    new Certificate[] {held.certificate(), CA.certificate()});
        }
        Path file = directory.resolve(name);
        try (OutputStream to = Files.newOutputStream(file)) {
            store.store(to, STORE_PASSWORD.toCharArray());
        }
        return file.toString();
    }

    private void configure(String... lines) throws IOException {
        file("flink-conf.yaml", String.join("\n", lines) + "\n");
        environment.put("FLINK_CONF_DIR", directory.toString());
    }

    private int list(String... options) {
        String[] all = new String[options.length + 1];
        all[0] = "list";
        System.arraycopy(options, 0, all, 1, options.length);
        CommandLine line = MecesCommand.commandLine(environment);
        line.setOut(new PrintWriter(out, true));
        line.setErr(new PrintWriter(err, true));
        return line.execute(all);
    }

    private void assertListed(int exit) {
        assertThat(err.toString()).isEmpty();
        assertThat(exit).isZero();
        assertThat(out.toString()).contains("j1  CANCELED  one");
    }

    // ------------------------------------------------------------------ TLS

    @Test
    void theCertificateOfTheCaIsTrusted() throws Exception {
        startWithTls(SERVER);

        assertListed(list("--jobmanager", url(), "--cacert", ca()));
    }

    @Test
    void withACaHostAndPortAreReachedByTls() throws Exception {
        startWithTls(SERVER);

        assertListed(list("--jobmanager", "127.0.0.1:" + server.getPort(), "--cacert", ca()));
    }

    @Test
    void aCertificateThatNobodyKnowsIsNotTrusted() throws Exception {
        startWithTls(SERVER);

        assertThat(list("--jobmanager", url())).isEqualTo(4);
        assertThat(err.toString())
                .contains("its certificate is not trusted")
                .contains("--cacert FILE")
                .contains("security.ssl.rest.truststore");
        assertThat(server.getRequestCount()).isZero();
    }

    @Test
    void aCertificateOfAnotherHostIsNotTrusted() throws Exception {
        startWithTls(OTHER_NAME);

        assertThat(list("--jobmanager", url(), "--cacert", ca())).isEqualTo(4);
        assertThat(err.toString())
                .contains("127.0.0.1 not verified")
                .contains("Use a name that is in its certificate.");
        assertThat(err.toString().trim().split("\\R")).hasSize(1);
    }

    @Test
    void aCertificateOfTheClientIsShown() throws Exception {
        server.requireClientAuth();
        startWithTls(SERVER);

        assertListed(
                list(
                        "--jobmanager",
                        url(),
                        "--cacert",
                        ca(),
                        "--cert",
                        file("client.crt", CLIENT.certificatePem()).toString(),
                        "--key",
                        file("client.key", CLIENT.privateKeyPkcs8Pem()).toString()));
        assertThat(server.takeRequest().getHandshake().peerPrincipal().getName())
                .contains("CN=client");
    }

    @Test
    void withoutACertificateOfTheClientTheRemedyIsTold() throws Exception {
        server.requireClientAuth();
        startWithTls(SERVER);

        assertThat(list("--jobmanager", url(), "--cacert", ca())).isEqualTo(4);
        assertThat(err.toString()).contains("--cert FILE and --key FILE");
    }

    /** By HTTP/2 a client that is refused after the handshake would not learn why. */
    @Test
    void aServerThatOffersHttp2IsSpokenToAsFlinkIs() throws Exception {
        startWithTls(SERVER);

        assertListed(list("--jobmanager", url(), "--cacert", ca()));
        assertThat(server.protocols()).contains(Protocol.HTTP_2);
        assertThat(server.takeRequest().getRequestLine()).endsWith("HTTP/1.1");
    }

    @Test
    void aConnectionThatIsCutOffAfterTheHandshakeMayMissACertificate() throws Exception {
        server.setDispatcher(
                new Dispatcher() {
                    @Override
                    public MockResponse dispatch(RecordedRequest request) {
                        return new MockResponse()
                                .setSocketPolicy(SocketPolicy.DISCONNECT_AFTER_REQUEST);
                    }
                });
        startWithTls(SERVER);

        assertThat(list("--jobmanager", url(), "--cacert", ca())).isEqualTo(4);
        assertThat(err.toString())
                .contains("unexpected end of stream")
                .contains("--cert FILE and --key FILE")
                .doesNotContain("Does it want TLS?");
    }

    @Test
    void aServerWithoutTlsIsNamed() throws Exception {
        try (ServerSocket plain = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            CompletableFuture<Void> answered =
                    CompletableFuture.runAsync(() -> answerInPlainText(plain));
            int exit = list("--jobmanager", "https://127.0.0.1:" + plain.getLocalPort() + "/flink");
            assertThat(exit).isEqualTo(4);
            answered.get(30, TimeUnit.SECONDS);
        }
        assertThat(err.toString()).contains("it does not speak TLS");
    }

    private static void answerInPlainText(ServerSocket server) {
        try (Socket socket = server.accept()) {
            socket.getInputStream().read();
            socket.getOutputStream()
                    .write("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.UTF_8));
            socket.shutdownOutput();
            while (socket.getInputStream().read() >= 0) {
                // what the client has sent must be read, or it misses the answer
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void plainHttpToAServerWithTlsIsNamed() throws Exception {
        startWithTls(SERVER);

        assertThat(list("--jobmanager", "127.0.0.1:" + server.getPort())).isEqualTo(4);
        assertThat(err.toString()).contains("Does it want TLS?");
    }

    @Test
    void filesThatAreNoneAreNamed() throws Exception {
        String rubbish = file("rubbish", "rubbish\n").toString();
        String certificate = file("client.crt", CLIENT.certificatePem()).toString();
        String missing = directory.resolve("missing").toString();

        assertThat(list("--jobmanager", "https://h:1", "--cacert", missing)).isEqualTo(1);
        assertThat(err.toString()).contains(missing + " cannot be used: there is no such file.");
        assertThat(list("--jobmanager", "https://h:1", "--cacert", rubbish)).isEqualTo(1);
        assertThat(err.toString()).contains(rubbish + " cannot be used: ");
        assertThat(
                        list(
                                "--jobmanager",
                                "https://h:1",
                                "--cert",
                                certificate,
                                "--key",
                                file("old.key", CLIENT.privateKeyPkcs1Pem()).toString()))
                .isEqualTo(1);
        assertThat(err.toString()).contains("old.key").contains("openssl pkcs8 -topk8 -nocrypt");
        assertThat(list("--jobmanager", "https://h:1", "--cert", certificate)).isEqualTo(2);
        assertThat(err.toString()).contains("--cert and --key go together.");
        assertThat(list("--jobmanager", "http://h:1", "--cacert", ca())).isEqualTo(2);
        assertThat(err.toString()).contains("they need https:// in --jobmanager");
    }

    // ------------------------------------------------------------------ Flink's configuration

    @Test
    void theAddressIsThatOfFlinkConfDir() throws Exception {
        start();
        configure(
                "jobmanager.rpc.address: not.this.one",
                "rest.address: 127.0.0.1 # for clients",
                "#rest.port: 1",
                "rest.port: " + server.getPort());

        assertListed(list());
    }

    @Test
    void orThatOfFlinkHome() throws Exception {
        start();
        Files.createDirectories(directory.resolve("conf"));
        file(
                "conf/flink-conf.yaml",
                "jobmanager.rpc.address: 127.0.0.1\nrest.port: " + server.getPort() + "\n");
        environment.put("FLINK_HOME", directory.toString());

        assertListed(list());
    }

    @Test
    void anErrorSaysWhereTheAddressComesFrom() throws Exception {
        configure("rest.address: no-such-host.invalid");

        assertThat(list()).isEqualTo(4);
        assertThat(err.toString())
                .contains("no-such-host.invalid:8081 (by " + directory)
                .contains("there is no host of that name.");
    }

    @Test
    void aConfigurationThatIsNotThereIsNamed() {
        environment.put("FLINK_CONF_DIR", directory.resolve("none").toString());

        assertThat(list()).isEqualTo(1);
        assertThat(err.toString())
                .contains("There is no flink-conf.yaml and no config.yaml in ")
                .contains(directory.resolve("none").toString());
    }

    @Test
    void whereThereIsNoFlinkConfTheAddressIsThatOfConfigYaml() throws Exception {
        start();
        file(
                "config.yaml",
                "jobmanager:\n  rpc:\n    address: not.this.one\n"
                        + "rest: # for clients\n  address: '127.0.0.1'\n  port: 1\n"
                        + "rest.port: "
                        + server.getPort()
                        + "\n");
        environment.put("FLINK_CONF_DIR", directory.toString());

        assertListed(list());

        configure("rest.address: no-such-host.invalid");

        assertThat(list()).isEqualTo(4);
        assertThat(err.toString()).contains("no-such-host.invalid:8081");
    }

    @Test
    void whatIsNoYamlIsNamed() throws Exception {
        file("config.yaml", "rest.port: 1\nrest.port: 2\n");
        environment.put("FLINK_CONF_DIR", directory.toString());

        assertThat(list()).isEqualTo(1);
        assertThat(err.toString())
                .contains(directory.resolve("config.yaml") + " cannot be read")
                .contains("duplicate key rest.port");
    }

    @Test
    void tlsIsSetUpAsFlinkConfSays() throws Exception {
        server.requireClientAuth();
        startWithTls(SERVER);
        configure(
                "rest.address: 127.0.0.1",
                "rest.port: " + server.getPort(),
                "security.ssl.rest.enabled: true",
                "security.ssl.rest.authentication-enabled: true",
                "security.ssl.rest.truststore: " + keystore("trust.p12", CA),
                "security.ssl.truststore-password: " + STORE_PASSWORD,
                "security.ssl.rest.keystore: " + keystore("key.p12", CLIENT),
                "security.ssl.rest.keystore-password: " + STORE_PASSWORD,
                "security.ssl.rest.key-password: " + STORE_PASSWORD);

        assertListed(list());
    }

    @Test
    void theNameIsVerifiedUnlessFlinkConfSaysNot() throws Exception {
        startWithTls(OTHER_NAME);
        String[] lines = {
            "rest.address: 127.0.0.1",
            "rest.port: " + server.getPort(),
            "security.ssl.rest.enabled: true",
            "security.ssl.rest.truststore: " + keystore("trust.p12", CA),
            "security.ssl.rest.truststore-password: " + STORE_PASSWORD,
            ""
        };
        configure(lines);
        assertThat(list()).isEqualTo(4);

        lines[5] = "security.ssl.verify-hostname: false";
        configure(lines);
        assertThat(list()).isZero();
        assertThat(err.toString()).contains("Warning: The name in the certificate is not verified");
    }

    @ParameterizedTest
    @ValueSource(strings = {"SHA-1", "SHA-256"})
    void aServerIsKnownByItsFingerprint(String algorithm) throws Exception {
        startWithTls(OTHER_NAME);
        byte[] digest =
                MessageDigest.getInstance(algorithm).digest(OTHER_NAME.certificate().getEncoded());
        StringBuilder fingerprint = new StringBuilder();
        for (byte b : digest) {
            fingerprint.append(String.format("%02X", b));
        }
        configure(
                "rest.address: 127.0.0.1",
                "rest.port: " + server.getPort(),
                "security.ssl.rest.enabled: true",
                "security.ssl.rest.cert.fingerprint: " + fingerprint);
        assertListed(list());

        configure(
                "rest.address: 127.0.0.1",
                "rest.port: " + server.getPort(),
                "security.ssl.rest.enabled: true",
                "security.ssl.rest.cert.fingerprint: " + fingerprint.reverse());
        assertThat(list()).isEqualTo(4);
        assertThat(err.toString()).contains("is not the one that is expected");
    }

    @Test
    void whatIsTrustedByTheCommandLineIsTrustedInsteadOfAFingerprint() throws Exception {
        startWithTls(SERVER);
        configure(
                "rest.address: 127.0.0.1",
                "rest.port: " + server.getPort(),
                "security.ssl.rest.enabled: true",
                "security.ssl.rest.cert.fingerprint: "
                        + String.join("", Collections.nCopies(40, "a")));

        assertListed(list("--cacert", ca()));
    }

    @Test
    void mistakesInFlinkConfAreNamed() throws Exception {
        configure(
                "rest.address: 127.0.0.1",
                "security.ssl.rest.enabled: true",
                "security.ssl.rest.truststore: " + keystore("trust.p12", CA));
        assertThat(list()).isEqualTo(1);
        assertThat(err.toString())
                .contains("security.ssl.rest.truststore-password is missing in " + directory);

        configure(
                "rest.address: 127.0.0.1",
                "security.ssl.rest.enabled: true",
                "security.ssl.rest.truststore: " + keystore("trust.p12", CA),
                "security.ssl.rest.truststore-password: wrong");
        assertThat(list()).isEqualTo(1);
        assertThat(err.toString()).contains("trust.p12 cannot be opened: ").doesNotContain("wrong");
    }

    // ------------------------------------------------------------------ proxies

    /** A proxy with a path of its own and basic authentication. */
    private static final class Gateway extends Dispatcher {
        @Override
        public MockResponse dispatch(RecordedRequest request) {
            if (!request.getPath().startsWith("/flink/")) {
                return new MockResponse().setResponseCode(404).setBody("<html>Not Found</html>");
            }
            String expected =
                    "Basic "
                            + Base64.getEncoder()
                                    .encodeToString("anna:p:ä".getBytes(StandardCharsets.UTF_8));
            return expected.equals(request.getHeader("Authorization"))
                    ? new MockResponse().setBody(JOBS)
                    : new MockResponse().setResponseCode(401).setBody("<html>401</html>");
        }
    }

    private void startGateway() throws IOException {
        server.setDispatcher(new Gateway());
        startWithTls(SERVER);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/flink", "/flink/"})
    void aProxyIsPassedWithAPathAndThePasswordOfTheEnvironment(String path) throws Exception {
        startGateway();
        environment.put(JobManagerOption.USER, "anna");
        environment.put(JobManagerOption.PASSWORD, "p:ä");

        assertListed(list("--jobmanager", url() + path, "--cacert", ca()));
        assertThat(server.takeRequest().getPath()).isEqualTo("/flink/jobs/overview");
    }

    @Test
    void orWithThatOfAFile() throws Exception {
        startGateway();

        assertListed(
                list(
                        "--jobmanager",
                        url() + "/flink/",
                        "--cacert",
                        ca(),
                        "--credentials",
                        file("who", "anna:p:ä\n").toString()));
    }

    @Test
    void withoutOrWithAWrongPasswordTheRemedyIsTold() throws Exception {
        startGateway();
        assertThat(list("--jobmanager", url() + "/flink/", "--cacert", ca())).isEqualTo(3);
        assertThat(err.toString())
                .contains("wants a user and a password (HTTP status 401)")
                .contains(JobManagerOption.USER, JobManagerOption.PASSWORD, "--credentials");

        environment.put(JobManagerOption.USER, "anna");
        environment.put(JobManagerOption.PASSWORD, "secret");
        assertThat(list("--jobmanager", url() + "/flink/", "--cacert", ca())).isEqualTo(3);
        assertThat(err.toString())
                .contains("does not accept user anna with this password (HTTP status 401)")
                .doesNotContain("secret");
    }

    @Test
    void aWrongPathIsNamed() throws Exception {
        startGateway();

        assertThat(list("--jobmanager", url(), "--cacert", ca())).isEqualTo(3);
        assertThat(err.toString())
                .contains("There is no REST interface of Flink at " + url())
                .contains("Is the path right?");
    }

    @ParameterizedTest
    @CsvSource({
        "403, does not allow this (HTTP status 403)",
        "502, does not reach the JobManager (HTTP status 502)",
        "504, does not reach the JobManager (HTTP status 504)",
        "302, it refers to https://login.example/"
    })
    void otherAnswersOfAProxyAreNamed(int status, String text) throws Exception {
        server.setDispatcher(
                new Dispatcher() {
                    @Override
                    public MockResponse dispatch(RecordedRequest request) {
                        return new MockResponse()
                                .setResponseCode(status)
                                .setHeader("Location", "https://login.example/")
                                .setBody("<html></html>");
                    }
                });
        startWithTls(SERVER);

        assertThat(list("--jobmanager", url(), "--cacert", ca())).isNotZero();
        assertThat(err.toString()).contains(text);
        assertThat(server.getRequestCount()).isEqualTo(1);
    }

    @Test
    void aPageOfSomethingElseIsNamed() throws Exception {
        server.setDispatcher(
                new Dispatcher() {
                    @Override
                    public MockResponse dispatch(RecordedRequest request) {
                        return new MockResponse().setBody("<html>Welcome</html>");
                    }
                });
        start();

        assertThat(list("--jobmanager", "http://127.0.0.1:" + server.getPort())).isEqualTo(4);
        assertThat(err.toString()).contains("/jobs/overview is not a JobManager");
    }

    @Test
    void credentialsAreNotInAddressesAndNotHalf() throws Exception {
        assertThat(list("--jobmanager", "https://anna:secret@h/")).isEqualTo(2);
        assertThat(list("--jobmanager", "anna:secret@h:8081")).isEqualTo(2);
        assertThat(err.toString())
                .contains("a user or a password in the address")
                .contains("it takes HOST:PORT, or a URL such as https://HOST/flink/.")
                .doesNotContain("secret");

        String rubbish = file("who", "anna\nsecret\n").toString();
        assertThat(list("--jobmanager", "h:1", "--credentials", rubbish)).isEqualTo(1);
        assertThat(err.toString())
                .contains(rubbish + " has to be a file with one line, USER:PASSWORD.")
                .doesNotContain("secret");

        environment.put(JobManagerOption.USER, "anna");
        assertThat(list("--jobmanager", "h:1")).isEqualTo(2);
        assertThat(err.toString()).contains("go together.");
    }

    @Test
    void aPasswordInClearTextIsWarnedOf() {
        environment.put(JobManagerOption.USER, "anna");
        environment.put(JobManagerOption.PASSWORD, "secret");

        assertThat(list("--jobmanager", "no-such-host.invalid:8081")).isEqualTo(4);
        assertThat(err.toString())
                .contains("Warning: User and password go to no-such-host.invalid:8081 in clear")
                .doesNotContain("secret");
    }

    @Test
    void aStrangerIsNotAccepted() throws Exception {
        server.requireClientAuth();
        startWithTls(SERVER);

        assertThat(
                        list(
                                "--jobmanager",
                                url(),
                                "--cacert",
                                ca(),
                                "--cert",
                                file("s.crt", STRANGER.certificatePem()).toString(),
                                "--key",
                                file("s.key", STRANGER.privateKeyPkcs8Pem()).toString()))
                .isEqualTo(4);
        assertThat(err.toString()).contains("give one that it trusts by --cert FILE");
    }
}
