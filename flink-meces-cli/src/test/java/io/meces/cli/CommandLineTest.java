// SPDX-License-Identifier: Apache-2.0
package io.meces.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import okhttp3.mockwebserver.Dispatcher;
import okhttp3.mockwebserver.MockResponse;
import okhttp3.mockwebserver.MockWebServer;
import okhttp3.mockwebserver.RecordedRequest;
import okhttp3.mockwebserver.SocketPolicy;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** What the command line sends, prints and returns, against a JobManager that is played. */
class CommandLineTest {
    private static final String JOB = "00000000000000000000000000000001";

    private final MockWebServer server = new MockWebServer();
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @BeforeEach
    void start() throws IOException {
        server.start(InetAddress.getLoopbackAddress(), 0);
    }

    @AfterEach
    void stop() throws IOException {
        server.close();
    }

    @Test
    void aRescaleIsPosted() throws Exception {
        answer(202, "{\"id\":\"abc\"}");

        int exit = run("rescale", JOB, "--vertex", "count -> Sink: results", "--parallelism", "3");

        assertThat(exit).isZero();
        assertThat(out.toString()).contains("abc");
        RecordedRequest request = server.takeRequest();
        assertThat(request.getMethod()).isEqualTo("POST");
        assertThat(request.getPath()).isEqualTo("/jobs/" + JOB + "/rescales");
        assertThat(request.getBody().readUtf8())
                .isEqualTo(
                        "{\"vertices\":[{\"name\":\"count -> Sink: results\",\"parallelism\":3}],"
                                + "\"dry-run\":false}");
    }

    private static final String ELASTICITY =
            "{\"vertices\":[{\"id\":\"cafe\",\"name\":\"count -> Sink: out\",\"parallelism\":2,"
                    + "\"capacity\":8,\"max-parallelism\":8,\"sub-groups\":1,\"key-groups\":[]}],"
                    + "\"refusal\":null,\"warnings\":[]}";

    @Test
    void requirementsAreShown() throws Exception {
        answer(200, ELASTICITY);
        answer(200, "{\"cafe\":{\"parallelism\":{\"lowerBound\":1,\"upperBound\":4}}}");

        assertThat(run("requirements", JOB)).isZero();
        assertThat(out.toString())
                .isEqualTo(
                        String.format(
                                "cafe  parallelism 2, required 1 to 4  count -> Sink: out%n"));
    }

    @Test
    void aShellCanCompleteCommandsAndOptions() {
        assertThat(execute("generate-completion")).isZero();
        assertThat(out.toString())
                .contains("complete -F _complete_meces")
                .contains("requirements")
                .contains("--rollback");
    }

    // ------------------------------------------------------------------------
    //  --json
    // ------------------------------------------------------------------------

    /** What has been printed, which is one line. */
    private JsonNode printed() throws Exception {
        assertThat(out.toString().trim()).doesNotContain("\n");
        return new ObjectMapper().readTree(out.toString());
    }

    @Test
    void jobsAreListedAsJson() throws Exception {
        answer(
                200,
                "{\"jobs\":[{\"jid\":\"j1\",\"name\":\"one\",\"state\":\"RUNNING\"},"
                        + "{\"jid\":\"j2\",\"name\":\"two\",\"state\":\"RUNNING\"},"
                        + "{\"jid\":\"j3\",\"name\":\"three\",\"state\":\"CANCELED\"}]}");
        answer(200, ELASTICITY);
        answer(404, "{\"errors\":[\"There is no job j2.\"]}");

        assertThat(run("list", "--json")).isZero();
        JsonNode jobs = printed().get("jobs");
        assertThat(jobs.get(0).get("id").asText()).isEqualTo("j1");
        assertThat(jobs.get(0).get("elasticity"))
                .isEqualTo(new ObjectMapper().readTree(ELASTICITY));
        assertThat(jobs.get(1).at("/elasticity/refusal").asText()).isEqualTo("There is no job j2.");
        assertThat(jobs.get(2).get("state").asText()).isEqualTo("CANCELED");
        assertThat(jobs.get(2).get("elasticity").isNull()).isTrue();
    }

    @Test
    void noJobsAreAnEmptyListInJson() throws Exception {
        answer(200, "{\"jobs\":[]}");
        assertThat(run("list", "--json")).isZero();
        assertThat(out.toString().trim()).isEqualTo("{\"jobs\":[]}");
    }

    @Test
    void rescalesAreShownAsJson() throws Exception {
        answer(200, "{\"rescales\":[" + status("FINISHED", 2, null) + "]}");
        assertThat(run("status", JOB, "--json")).isZero();
        JsonNode rescale = printed().at("/rescales/0");
        assertThat(rescale.get("status").asText()).isEqualTo("FINISHED");
        assertThat(rescale.get("units-migrated").asInt()).isEqualTo(20);
        assertThat(rescale.get("failure").isNull()).as("members without a value").isTrue();

        out.getBuffer().setLength(0);
        answer(200, status("FAILED", 1, "A TaskManager was lost."));
        assertThat(run("status", JOB, "abc", "--json")).isZero();
        assertThat(printed().get("failure").asText()).isEqualTo("A TaskManager was lost.");
    }

    @Test
    void aPlanIsShownAsJson() throws Exception {
        answer(200, "{\"vertices\":[],\"more-slots\":2,\"free-slots\":null}");
        assertThat(
                        run(
                                "rescale",
                                JOB,
                                "--vertex",
                                "a",
                                "--parallelism",
                                "3",
                                "--dry-run",
                                "--json"))
                .isZero();
        assertThat(out.toString().trim())
                .isEqualTo("{\"vertices\":[],\"more-slots\":2,\"free-slots\":null}");
    }

    @Test
    void aRescaleThatIsAcceptedIsJson() throws Exception {
        answer(202, "{\"id\":\"abc\"}");
        assertThat(run("rescale", JOB, "--vertex", "a", "--parallelism", "3", "--json")).isZero();
        assertThat(out.toString().trim()).isEqualTo("{\"id\":\"abc\"}");
    }

    @Test
    void whatIsSaidOnTheWayIsNotPartOfTheJson() throws Exception {
        answer(202, "{\"id\":\"abc\"}");
        answer(200, running("MIGRATING", 1));
        answer(200, status("FINISHED", 2, null));
        assertThat(run("rescale", JOB, "--vertex", "a", "--parallelism", "3", "--wait", "--json"))
                .isZero();
        assertThat(printed().get("status").asText()).isEqualTo("FINISHED");
        assertThat(err.toString()).contains("Rescale abc").contains("RUNNING (MIGRATING)");

        out.getBuffer().setLength(0);
        answer(202, running("MIGRATING", 1));
        answer(200, status("ABORTED", 1, "aborted by request"));
        assertThat(run("abort", JOB, "abc", "--wait", "--json")).isZero();
        assertThat(printed().get("status").asText()).isEqualTo("ABORTED");
    }

    @Test
    void requirementsAreJsonAsTheRestInterfaceAnswers() throws Exception {
        String answer = "{\"cafe\":{\"parallelism\":{\"lowerBound\":1,\"upperBound\":4}}}";
        answer(200, ELASTICITY);
        answer(200, answer);
        assertThat(run("requirements", JOB, "--json")).isZero();
        assertThat(out.toString().trim()).isEqualTo(answer);
    }

    @Test
    void requirementsAreSetByTheNameOfAVertex() throws Exception {
        answer(200, ELASTICITY);
        answer(200, "{}");
        answer(200, "{\"cafe\":{\"parallelism\":{\"lowerBound\":2,\"upperBound\":4}}}");

        assertThat(run("requirements", JOB, "--vertex", "count", "--lower", "2", "--upper", "4"))
                .isZero();
        server.takeRequest();
        RecordedRequest request = server.takeRequest();
        assertThat(request.getMethod()).isEqualTo("PUT");
        assertThat(request.getPath()).isEqualTo("/jobs/" + JOB + "/resource-requirements");
        assertThat(request.getBody().readUtf8())
                .isEqualTo("{\"cafe\":{\"parallelism\":{\"lowerBound\":2,\"upperBound\":4}}}");
    }

    @Test
    void severalVerticesCanBeRescaledAtOnceByNameOrId() throws Exception {
        answer(202, "{\"id\":\"abc\"}");

        int exit =
                run(
                        "rescale",
                        JOB,
                        "--vertex",
                        "a",
                        "--parallelism",
                        "3",
                        "--vertex",
                        "0123456789abcdef0123456789abcdef",
                        "--parallelism",
                        "1",
                        "--batch-size",
                        "5");

        assertThat(exit).isZero();
        assertThat(server.takeRequest().getBody().readUtf8())
                .isEqualTo(
                        "{\"vertices\":[{\"name\":\"a\",\"parallelism\":3},"
                                + "{\"id\":\"0123456789abcdef0123456789abcdef\",\"parallelism\":1}],"
                                + "\"batch-size\":5,\"dry-run\":false}");
    }

    private void answerWithASnapshotTwice() {
        // what Flink tells first, it has fetched when somebody asked last
        for (String rate : new String[] {"99999", "1234.5"}) {
            answer(
                    200,
                    "{\"state\":\"RUNNING\",\"name\":\"job\",\"vertices\":["
                            + "{\"id\":\"cafe\",\"name\":\"count\",\"parallelism\":1}]}");
            answer(
                    200,
                    "{\"vertices\":[{\"id\":\"cafe\",\"name\":\"count\",\"parallelism\":1,"
                            + "\"capacity\":32,\"max-parallelism\":4,\"sub-groups\":1,"
                            + "\"key-groups\":[[0,1,2,3]]}],\"refusal\":null,\"warnings\":[]}");
            answer(200, "[{\"id\":\"0.numRecordsInPerSecond\",\"value\":\"" + rate + "\"}]");
            answer(200, "{\"rescales\":[" + status("FINISHED", 2, null) + "]}");
        }
    }

    @Test
    void topPrintsAJobOnceAsJson() throws Exception {
        answerWithASnapshotTwice();

        assertThat(run("top", JOB, "--once", "--json")).isZero();

        JsonNode job = printed();
        assertThat(job.get("id").asText()).isEqualTo(JOB);
        assertThat(job.get("name").asText()).isEqualTo("job");
        assertThat(job.get("state").asText()).isEqualTo("RUNNING");
        assertThat(job.at("/elasticity/vertices/0/capacity").asInt()).isEqualTo(32);
        assertThat(job.at("/vertices/0/id").asText()).isEqualTo("cafe");
        JsonNode subtask = job.at("/vertices/0/subtasks/0");
        assertThat(subtask.get("records-in-per-second").asDouble()).isEqualTo(1234.5);
        assertThat(subtask.get("busy-ms-per-second").isNull()).as("not known").isTrue();
        assertThat(job.at("/rescales/0/status").asText()).isEqualTo("FINISHED");
    }

    /** Of a job that ends after one look: between two there is a pause. */
    @Test
    void topPrintsALineOfJsonEachTime() throws Exception {
        answer(200, "{\"state\":\"CANCELED\",\"name\":\"job\",\"vertices\":[]}");

        assertThat(run("top", JOB, "--json")).isZero();
        assertThat(printed().get("elasticity").get("vertices").isEmpty()).isTrue();
    }

    @Test
    void topPrintsAJobOnce() throws Exception {
        answerWithASnapshotTwice();

        assertThat(run("top", JOB, "--once")).isZero();

        assertThat(out.toString())
                .contains("job  RUNNING")
                .contains("parallelism    1 of 32")
                .contains("        0      4 ##########        1,23")
                .contains("FINISHED");
        assertThat(server.takeRequest().getPath()).isEqualTo("/jobs/" + JOB);
    }

    @Test
    void waitShowsTheProgressUntilTheEnd() {
        answer(202, "{\"id\":\"abc\"}");
        answer(200, running("DEPLOYING", 0));
        answer(200, running("MIGRATING", 1));
        answer(200, running("MIGRATING", 1));
        answer(200, status("FINISHED", 2, null));

        int exit = run("rescale", JOB, "--vertex", "a", "--parallelism", "3", "--wait");

        assertThat(exit).isZero();
        assertThat(out.toString())
                .containsOnlyOnce("RUNNING (MIGRATING)")
                .contains("FINISHED after 1234 ms")
                .contains("a: 2 to 3");
    }

    @Test
    void aRescaleThatFailsIsExitCode1() {
        answer(202, "{\"id\":\"abc\"}");
        answer(200, status("FAILED", 1, "A TaskManager was lost."));

        assertThat(run("rescale", JOB, "--vertex", "a", "--parallelism", "3", "--wait"))
                .isEqualTo(1);
        assertThat(out.toString()).contains("A TaskManager was lost.");
    }

    @Test
    void waitAsksAgainWhenTheStateOfAnAcceptedRescaleIsNotKnown() {
        answer(202, "{\"id\":\"abc\"}");
        answer(200, running("MIGRATING", 1));
        answer(409, "{\"errors\":[\"The job is RESTARTING, not RUNNING.\"]}");
        // twice, as a client may try once more by a new connection
        server.enqueue(new MockResponse().setSocketPolicy(SocketPolicy.DISCONNECT_AFTER_REQUEST));
        server.enqueue(new MockResponse().setSocketPolicy(SocketPolicy.DISCONNECT_AFTER_REQUEST));
        answer(503, "Service Unavailable");
        answer(404, "{\"errors\":[\"There is no running job.\\nat a.b.C\"]}");
        answer(200, status("FINISHED", 2, null));

        assertThat(run("rescale", JOB, "--vertex", "a", "--parallelism", "3", "--wait")).isZero();
        assertThat(out.toString())
                .containsOnlyOnce(
                        "Not known how it stands, asking again: The job is RESTARTING, not RUNNING.")
                .containsOnlyOnce("asking again: The JobManager at 127.0.0.1:")
                .contains("asking again: The JobManager answers with HTTP status 503.")
                .contains("asking again: There is no running job.")
                .doesNotContain("a.b.C")
                .contains("FINISHED after 1234 ms");
        assertThat(err.toString()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {404, 409, 500})
    void waitSaysInTheEndThatTheStateOfAnAcceptedRescaleIsNotKnown(int status) {
        server.setDispatcher(
                new Dispatcher() {
                    @Override
                    public MockResponse dispatch(RecordedRequest request) {
                        return request.getMethod().equals("GET")
                                ? new MockResponse()
                                        .setResponseCode(status)
                                        .setBody("{\"errors\":[\"It is not so.\"]}")
                                : new MockResponse()
                                        .setResponseCode(202)
                                        .setBody(running("MIGRATING", 1));
                    }
                });

        assertThat(
                        run(
                                "rescale",
                                JOB,
                                "--vertex",
                                "a",
                                "--parallelism",
                                "3",
                                "--wait",
                                "--timeout",
                                "1"))
                .isEqualTo(1);
        assertThat(run("abort", JOB, "abc", "--wait", "--timeout", "1")).isEqualTo(1);
        assertThat(lines(err))
                .hasSize(2)
                .containsOnly(
                        "The JobManager has accepted the request, but how rescale abc stands is not"
                                + " known after 1 s of --wait. The last answer: It is not so.");
    }

    @Test
    void waitDoesNotWaitForeverForARescaleThatGoesOn() {
        server.setDispatcher(
                new Dispatcher() {
                    @Override
                    public MockResponse dispatch(RecordedRequest request) {
                        return new MockResponse().setBody(running("MIGRATING", 1));
                    }
                });

        assertThat(run("abort", JOB, "abc", "--wait", "--timeout", "1")).isEqualTo(1);
        assertThat(err.toString()).contains("The rescale goes on, but --wait has waited for 1 s.");
    }

    @Test
    void whatWouldHaveNoEffectIsRefused() {
        assertThat(run("rescale", "j", "--vertex", "a", "--parallelism", "3", "--timeout", "5"))
                .isEqualTo(2);
        assertThat(lines(err).get(0))
                .isEqualTo("--timeout says how long --wait waits. Give --wait, too.");
        assertThat(run("abort", "j", "r", "--timeout", "5")).isEqualTo(2);
        assertThat(run("abort", "j", "r", "--wait", "--timeout", "0")).isEqualTo(2);
        assertThat(err.toString()).contains("--timeout has to be positive.");
        assertThat(
                        run(
                                "rescale",
                                "j",
                                "--vertex",
                                "a",
                                "--parallelism",
                                "3",
                                "--dry-run",
                                "--wait"))
                .isEqualTo(2);
        assertThat(err.toString()).contains("--dry-run only shows the plan");
        assertThat(server.getRequestCount()).isZero();
    }

    @Test
    void aJobManagerThatWantsTlsIsExitCode4WithTheRemedy() {
        for (int i = 0; i < 2; i++) {
            server.enqueue(
                    new MockResponse()
                            .setResponseCode(301)
                            .setHeader("Location", "https://127.0.0.1:" + server.getPort() + "/"));
        }

        assertThat(run("list")).isEqualTo(4);
        assertThat(run("rescale", JOB, "--vertex", "a", "--parallelism", "3")).isEqualTo(4);
        assertThat(lines(err))
                .hasSize(2)
                .allSatisfy(
                        line ->
                                assertThat(line)
                                        .contains(
                                                "security.ssl.rest.enabled",
                                                "--jobmanager https://127.0.0.1:",
                                                "--cacert"));
        assertThat(server.getRequestCount()).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"jobmanager", "jobmanager:", "[::1]", "ftp://jobmanager:8081", "a:1/b"})
    void whatIsNoAddressIsRefused(String address) {
        assertThat(execute("list", "--jobmanager", address)).isEqualTo(2);
        assertThat(err.toString())
                .contains("--jobmanager: it takes HOST:PORT, or a URL such as")
                .contains("not " + address + ".");
    }

    @Test
    void aRescaleIsAborted() throws Exception {
        answer(202, running("MIGRATING", 1));

        assertThat(run("abort", JOB, "abc")).isZero();
        RecordedRequest request = server.takeRequest();
        assertThat(request.getMethod()).isEqualTo("DELETE");
        assertThat(request.getPath()).isEqualTo("/jobs/" + JOB + "/rescales/abc?mode=stop");
    }

    @Test
    void anAbortWithRollbackIsAwaited() throws Exception {
        answer(202, running("MIGRATING", 1));
        answer(200, status("ROLLING_BACK", 1, null));
        answer(200, status("ABORTED", 1, "rolled back by request"));

        assertThat(run("abort", JOB, "abc", "--rollback", "--wait")).isZero();
        assertThat(out.toString())
                .contains("ROLLING_BACK")
                .contains("ABORTED after")
                .contains("rolled back by request");
        assertThat(server.takeRequest().getPath()).endsWith("?mode=rollback");
    }

    @Test
    void aDryRunPrintsThePlan() throws Exception {
        answer(
                200,
                "{\"vertices\":[{\"id\":\"v\",\"name\":\"a\",\"from\":2,\"to\":3,"
                        + "\"strategy\":\"load-aware\",\"steps\":[["
                        + "{\"key-group\":3,\"from\":0,\"to\":2},"
                        + "{\"key-group\":7,\"from\":1,\"to\":2},"
                        + "{\"key-group\":2,\"from\":0,\"to\":2}],"
                        + "[{\"key-group\":0,\"from\":0,\"to\":2}]],"
                        + "\"before\":[4,4],\"after\":[1,3,4],"
                        + "\"load-before\":[1500.4,300],\"load-after\":[700,200,900.4]}],\"more-slots\":1,\"free-slots\":0}");

        assertThat(
                        run(
                                "rescale",
                                JOB,
                                "--vertex",
                                "a",
                                "--parallelism",
                                "3",
                                "--strategy",
                                "load-aware",
                                "--dry-run"))
                .isZero();
        assertThat(lines())
                .containsExactly(
                        "a: 2 to 3 by strategy load-aware",
                        "  4 of 8 key-groups move, in at least 2 step(s)",
                        "  subtask  key-groups      gives  takes  records/s",
                        "        0      4 ->     1      3      0  1500 -> 700",
                        "        1      4 ->     3      1      0  300 -> 200",
                        "        2      - ->     4      0      4  - -> 900",
                        "  step 1: 0 -> 2: 2-3; 1 -> 2: 7",
                        "  step 2: 0 -> 2: 0",
                        "needs 1 more slot(s); free: 0");
        assertThat(server.takeRequest().getBody().readUtf8())
                .endsWith("\"strategy\":\"load-aware\",\"dry-run\":true}");
    }

    @Test
    void aDryRunSaysWhenThereIsNothingToMove() {
        answer(
                200,
                "{\"vertices\":[{\"id\":\"v\",\"name\":\"a\",\"from\":2,\"to\":2,"
                        + "\"strategy\":\"uniform\",\"steps\":[],"
                        + "\"before\":[4,4],\"after\":[4,4]}]}");

        assertThat(run("rescale", JOB, "--vertex", "a", "--parallelism", "2", "--dry-run"))
                .isZero();
        assertThat(lines())
                .containsExactly(
                        "a: 2 to 2 by strategy uniform",
                        "  nothing to move; 8 key-groups",
                        "  subtask  key-groups      gives  takes",
                        "        0      4 ->     4      0      0",
                        "        1      4 ->     4      0      0");
    }

    private List<String> lines() {
        return lines(out);
    }

    private static List<String> lines(StringWriter printed) {
        return Arrays.asList(printed.toString().split("\\R"));
    }

    @ParameterizedTest
    @ValueSource(ints = {400, 404, 409})
    void aRefusalIsExitCode3WithItsReason(int status) {
        answer(status, "{\"errors\":[\"The vertex has a capacity of 2.\"]}");

        assertThat(run("rescale", JOB, "--vertex", "a", "--parallelism", "3")).isEqualTo(3);
        assertThat(err.toString().trim()).isEqualTo("The vertex has a capacity of 2.");
        assertThat(out.toString()).isEmpty();
    }

    @Test
    void anErrorOfTheJobManagerIsExitCode1() {
        answer(500, "Internal Server Error");

        assertThat(run("status", JOB)).isEqualTo(1);
        assertThat(err.toString()).contains("500");
    }

    @Test
    void aFailureWhoseMessageIsAPathIsToldWithItsKind() throws Exception {
        CommandLine line = MecesCommand.commandLine().setErr(new PrintWriter(err, true));

        int exit =
                line.getExecutionExceptionHandler()
                        .handleExecutionException(
                                new AccessDeniedException("/reports/a"), line, null);

        assertThat(exit).isEqualTo(1);
        assertThat(err.toString()).contains("AccessDeniedException: /reports/a");
    }

    @Test
    void aJobManagerThatIsNotThereIsExitCode4() throws IOException {
        int port;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = socket.getLocalPort();
        }

        assertThat(execute("list", "--jobmanager", "127.0.0.1:" + port)).isEqualTo(4);
        assertThat(err.toString()).contains("127.0.0.1:" + port).contains("cannot be reached");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "fly",
                "rescale",
                "rescale j",
                "rescale j --vertex a",
                "rescale j --vertex a --parallelism x",
                "rescale j --vertex a --parallelism 0",
                "status",
                "list --jobmanager :::"
            })
    void aWrongCommandLineIsExitCode2(String line) {
        assertThat(execute(line.isEmpty() ? new String[0] : line.split(" "))).isEqualTo(2);
        assertThat(Arrays.asList(err.toString().split("\\R")))
                .as("the reason is not hidden by the usage")
                .hasSizeLessThan(4)
                .last()
                .asString()
                .matches("meces( \\w+)? --help says more\\.");
    }

    @Test
    void whatOthersHaveTypedDoesNotReachTheTerminalAsACommand() {
        answer(
                200,
                "{\"jobs\":[{\"jid\":\"j1\",\"name\":\"\\u001b[2Jone\\r\\u202e\",\"state\":\"RUNNING\"}]}");
        answer(
                200,
                "{\"vertices\":[{\"id\":\"v\",\"name\":\"co\\u009bunt\",\"parallelism\":2,"
                        + "\"capacity\":128,\"max-parallelism\":128,\"sub-groups\":4,"
                        + "\"key-groups\":[[0,1],[2,3]]}],\"refusal\":null,"
                        + "\"warnings\":[\"two\\nlines\"]}");

        assertThat(run("list")).isZero();
        assertThat(out.toString())
                .contains("  ?[2Jone??")
                .contains("  co?unt")
                .contains("two\nlines")
                .doesNotContainPattern("[\u001b\u009b\u202e]");
    }

    @Test
    void topEndsWhenNobodyReadsIt() throws Exception {
        answer(200, "{\"jid\":\"j\",\"name\":\"one\",\"state\":\"RUNNING\",\"vertices\":[]}");
        answer(200, "{\"vertices\":[],\"refusal\":null,\"warnings\":[]}");
        answer(200, "{\"rescales\":[]}");
        PrintWriter closed =
                new PrintWriter(
                        new Writer() {
                            @Override
                            public void write(char[] text, int from, int length)
                                    throws IOException {
                                throw new IOException("Broken pipe");
                            }

                            @Override
                            public void flush() {}

                            @Override
                            public void close() {}
                        });

        int exit =
                MecesCommand.commandLine(Collections.emptyMap())
                        .setOut(closed)
                        .execute(
                                "top",
                                JOB,
                                "--jobmanager",
                                server.getHostName() + ":" + server.getPort());

        assertThat(exit).isZero();
        assertThat(server.getRequestCount()).isEqualTo(3);
    }

    @Test
    void whoEndsTheWaitLearnsThatTheRescaleGoesOn() {
        assertThat(WaitOption.goesOn("j", "r"))
                .contains("goes on")
                .contains("meces status j;")
                .endsWith("meces abort j r");
    }

    /** As Ctrl-C, by a signal to the process. */
    @Test
    void aWaitThatIsEndedSaysSo(@TempDir Path directory) throws Exception {
        CountDownLatch waits = new CountDownLatch(1);
        server.setDispatcher(
                new Dispatcher() {
                    @Override
                    public MockResponse dispatch(RecordedRequest request) {
                        if (request.getMethod().equals("POST")) {
                            return new MockResponse().setBody("{\"id\":\"abc\"}");
                        }
                        waits.countDown();
                        return new MockResponse().setBody(status("RUNNING", 1, null));
                    }
                });
        Path printed = directory.resolve("printed");
        Process process =
                new ProcessBuilder(
                                System.getProperty("java.home") + "/bin/java",
                                "-cp",
                                System.getProperty("java.class.path"),
                                Main.class.getName(),
                                "rescale",
                                JOB,
                                "--vertex=a",
                                "--parallelism=3",
                                "--wait",
                                "--jobmanager",
                                server.getHostName() + ":" + server.getPort())
                        .redirectErrorStream(true)
                        .redirectOutput(printed.toFile())
                        .start();
        try {
            assertThat(waits.await(60, TimeUnit.SECONDS)).isTrue();
            process.destroy();
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        assertThat(Files.readAllLines(printed)).contains(WaitOption.goesOn(JOB, "abc"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"--help", "list --help", "rescale --help", "--version"})
    void helpIsExitCode0(String line) {
        assertThat(execute(line.split(" "))).isZero();
        assertThat(out.toString()).isNotEmpty();
    }

    /** 24 lines of 80 columns. */
    @Test
    void allHelpFitsOnAScreen() {
        CommandLine meces = MecesCommand.commandLine(Collections.emptyMap());
        List<CommandLine> all = new ArrayList<>(meces.getSubcommands().values());
        all.add(meces);
        for (CommandLine command : all) {
            String name = command.getCommandSpec().qualifiedName();
            String[] lines = command.getUsageMessage(CommandLine.Help.Ansi.OFF).split("\\R");
            assertThat(lines).as(name).hasSizeLessThanOrEqualTo(24);
            assertThat(lines).as(name).allMatch(line -> line.length() <= 80);
        }
    }

    @Test
    void listShowsElasticVerticesAndWhyThereAreNone() {
        answer(
                200,
                "{\"jobs\":[{\"jid\":\"j1\",\"name\":\"one\",\"state\":\"RUNNING\"},"
                        + "{\"jid\":\"j2\",\"name\":\"two\",\"state\":\"RUNNING\"},"
                        + "{\"jid\":\"j3\",\"name\":\"three\",\"state\":\"RUNNING\"},"
                        + "{\"jid\":\"j4\",\"name\":\"four\",\"state\":\"CANCELED\"}]}");
        answer(
                200,
                "{\"vertices\":[{\"id\":\"v\",\"name\":\"count\",\"parallelism\":2,"
                        + "\"capacity\":128,\"max-parallelism\":128,\"sub-groups\":4,"
                        + "\"key-groups\":[[0,1],[2,3]]}],\"refusal\":null,"
                        + "\"warnings\":[\"Vertex 'sink' cannot be rescaled.\"]}");
        answer(200, "{\"vertices\":[],\"refusal\":\"The state backend is another.\"}");
        answer(404, "{\"errors\":[\"There is no job j3.\"]}");

        assertThat(run("list")).isZero();
        assertThat(out.toString())
                .contains("j1  RUNNING  one")
                .contains("v  parallelism 2 (up to 128)  count")
                .contains("warning: Vertex 'sink' cannot be rescaled.")
                .contains("cannot be rescaled: The state backend is another.")
                .contains("cannot be rescaled: There is no job j3.")
                .contains("j4  CANCELED  four");
        assertThat(server.getRequestCount()).isEqualTo(4);
    }

    @ParameterizedTest
    @ValueSource(strings = {"Not found.", "Unable to load requested file /jobs/j/elasticity."})
    void aStockJobManagerIsNamedWithTheRemedy(String error) {
        answer(200, "{\"jobs\":[{\"jid\":\"j\",\"name\":\"one\",\"state\":\"RUNNING\"}]}");
        answer(404, "{\"errors\":[\"" + error + "\"]}");
        answer(404, "{\"errors\":[\"" + error + "\"]}");

        assertThat(run("list")).isZero();
        assertThat(run("rescale", JOB, "--vertex", "a", "--parallelism", "3")).isEqualTo(3);
        assertThat(out.toString())
                .contains("runs without flink-meces. Start it by bin/meces-jobmanager.sh")
                .doesNotContain(error);
        assertThat(err.toString())
                .contains("runs without flink-meces. Start it by bin/meces-jobmanager.sh")
                .doesNotContain(error);
    }

    @Test
    void statusShowsAllRescalesOrOne() throws Exception {
        answer(200, "{\"rescales\":[" + status("FINISHED", 2, null) + "]}");
        answer(200, running("MIGRATING", 1));

        assertThat(run("status", JOB)).isZero();
        assertThat(run("status", JOB, "abc")).isZero();

        assertThat(server.takeRequest().getPath()).isEqualTo("/jobs/" + JOB + "/rescales");
        assertThat(server.takeRequest().getPath()).isEqualTo("/jobs/" + JOB + "/rescales/abc");
        assertThat(out.toString())
                .contains("abc  FINISHED after 1234 ms")
                .contains("abc  RUNNING (MIGRATING) after 1234 ms")
                .contains("steps 1 of about 2, units 10 of 20 (3 on demand), 4096 bytes")
                .contains("11 keys were fetched ahead of the rest")
                .contains("14 events kept the results in order")
                .containsOnlyOnce("first record at a new owner after 56 ms");
    }

    private int run(String... arguments) {
        String[] all = Arrays.copyOf(arguments, arguments.length + 2);
        all[arguments.length] = "--jobmanager";
        all[arguments.length + 1] = "127.0.0.1:" + server.getPort();
        return execute(all);
    }

    private int execute(String... arguments) {
        CommandLine commandLine = MecesCommand.commandLine(Collections.emptyMap());
        commandLine.setOut(new PrintWriter(out, true));
        commandLine.setErr(new PrintWriter(err, true));
        return commandLine.execute(arguments);
    }

    private void answer(int status, String body) {
        server.enqueue(new MockResponse().setResponseCode(status).setBody(body));
    }

    private static String running(String state, int steps) {
        return status("RUNNING\",\"state\":\"" + state, steps, null);
    }

    private static String status(String status, int steps, String failure) {
        return "{\"id\":\"abc\",\"status\":\""
                + status
                + "\",\"vertices\":[{\"id\":\"v\",\"name\":\"a\",\"from\":2,\"to\":3}],"
                + "\"steps-total\":2,\"steps-completed\":"
                + steps
                + ",\"units-total\":20,\"units-migrated\":"
                + steps * 10
                + ",\"units-on-demand\":3,\"keys-fetched\":11,\"bytes\":4096,\"longest-stop-micros\":2500,"
                + "\"records-waited\":4,\"total-wait-micros\":10000,\"longest-wait-micros\":6000,"
                + "\"order-events\":14,\"first-record-ms\":"
                + (steps > 1 ? "56" : "null")
                + ",\"start-time\":1,\"duration-ms\":1234,"
                + "\"failure\":"
                + (failure == null ? "null" : "\"" + failure + "\"")
                + "}";
    }
}
