// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.api.AbortMode;
import io.meces.api.Elasticity;
import io.meces.api.KeyGroups;
import io.meces.api.ParallelismBounds;
import io.meces.api.RescaleAccepted;
import io.meces.api.RescaleCause;
import io.meces.api.RescaleDetails;
import io.meces.api.RescalePlans;
import io.meces.api.RescaleRefusedException;
import io.meces.api.RescaleRefusedException.Kind;
import io.meces.api.RescaleRequest;
import io.meces.api.RescaleState;
import io.meces.api.RescaleStatus;
import io.meces.api.Rescales;
import io.meces.api.ResourceRequirements;
import io.meces.api.VertexChange;
import io.meces.core.rescale.RescaleService;
import io.meces.flink.runtime.FlinkLine;
import io.meces.flink.runtime.Futures;
import io.meces.runtime.rpc.MecesCoordination;
import io.meces.runtime.rpc.ServiceRequest;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import org.apache.flink.api.common.JobID;
import org.apache.flink.runtime.dispatcher.UnavailableDispatcherOperationException;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.messages.FlinkJobNotFoundException;
import org.apache.flink.runtime.operators.coordination.CoordinationRequest;
import org.apache.flink.runtime.operators.coordination.CoordinationResponse;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.util.FlinkException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every request and every error, over HTTP; the controller is a stub. */
class MecesRestEndpointTest {

    private static final JobID JOB = new JobID();
    private static final String RESCALES = "/jobs/" + JOB + "/rescales";
    private static final String REQUIREMENTS = "/jobs/" + JOB + "/resource-requirements";
    private static final String RESCALE = "8d3ad2b1cd4e4ff2a1ec3b9f4d5b7a60";
    private static final String VALID = "{'vertices':[{'name':'count','parallelism':3}]}";

    private static RestServer server;

    /** What the stub answers with, or fails with, and what it was asked. */
    private static volatile Object answer;

    private static volatile Throwable failure;
    private static volatile Object asked;

    @BeforeAll
    static void start() throws Exception {
        server = new RestServer(MecesRestEndpointTest::answer);
    }

    @AfterAll
    static void stop() throws Exception {
        server.close();
    }

    @BeforeEach
    void forget() {
        answer = null;
        failure = null;
        asked = null;
    }

    private static CompletableFuture<CoordinationResponse> answer(
            JobID jobId, OperatorID operatorId, CoordinationRequest request) {
        if (!jobId.equals(JOB)) {
            return Futures.completedExceptionally(new FlinkJobNotFoundException(jobId));
        }
        assertThat(operatorId).isEqualTo(MecesCoordination.OPERATOR_ID);
        return failure == null
                ? ServiceRequest.answer(request, new Recorder())
                : Futures.completedExceptionally(failure);
    }

    /** Answers with what it is told to. */
    private static final class Recorder implements RescaleService {
        @Override
        public Elasticity elasticity() {
            asked = "elasticity";
            return (Elasticity) answer;
        }

        @Override
        public ArrayList<String> fixedVertices() {
            return new ArrayList<>(Arrays.asList("beef", "feed"));
        }

        @Override
        public CompletableFuture<KeyGroups> keyGroups(String vertexId) {
            asked = "key-groups of " + vertexId;
            return CompletableFuture.completedFuture((KeyGroups) answer);
        }

        @Override
        public CompletableFuture<RescaleAccepted> rescale(RescaleRequest request) {
            asked = request;
            return CompletableFuture.completedFuture((RescaleAccepted) answer);
        }

        @Override
        public CompletableFuture<RescalePlans> plan(RescaleRequest request) {
            asked = request;
            return CompletableFuture.completedFuture((RescalePlans) answer);
        }

        @Override
        public ResourceRequirements requirements() {
            return (ResourceRequirements) answer;
        }

        @Override
        public void require(ResourceRequirements requirements) throws RescaleRefusedException {
            asked = requirements;
        }

        @Override
        public Rescales rescales() {
            asked = "rescales";
            return (Rescales) answer;
        }

        @Override
        public RescaleDetails rescale(String id) {
            asked = id;
            return (RescaleDetails) answer;
        }

        @Override
        public RescaleDetails abort(String id, AbortMode mode) {
            asked = mode + " " + id;
            return (RescaleDetails) answer;
        }
    }

    private static void failWith(Throwable cause) {
        // As the RPC hands it on.
        failure = new CompletionException(cause);
    }

    @Test
    void showsTheElasticity() throws Exception {
        answer =
                new Elasticity(
                        Collections.singletonList(
                                new Elasticity.Vertex(
                                        "cafe",
                                        "count",
                                        2,
                                        8,
                                        4,
                                        16,
                                        Arrays.asList(Arrays.asList(0, 1), Arrays.asList(2, 3)))),
                        null,
                        Collections.singletonList("less is possible"));
        RestServer.Reply reply = server.get("/jobs/" + JOB + "/elasticity");

        assertThat(reply.status).isEqualTo(200);
        assertThat(reply.body)
                .isEqualTo(
                        json(
                                "{'vertices':[{'id':'cafe','name':'count','parallelism':2,"
                                        + "'capacity':8,'max-parallelism':4,'sub-groups':16,"
                                        + "'key-groups':[[0,1],[2,3]]}],'refusal':null,"
                                        + "'warnings':['less is possible']}"));
        assertThat(asked).isEqualTo("elasticity");
    }

    @Test
    void showsWhyAJobCannotBeRescaled() throws Exception {
        answer =
                new Elasticity(
                        Collections.emptyList(),
                        "unaligned checkpoints are on",
                        Collections.emptyList());
        assertThat(server.get("/v1/jobs/" + JOB + "/elasticity").body)
                .isEqualTo(
                        json(
                                "{'vertices':[],'refusal':'unaligned checkpoints are on','warnings':[]}"));
    }

    @Test
    void showsTheKeyGroupsOfAVertex() throws Exception {
        answer =
                new KeyGroups(
                        "cafe",
                        "count",
                        Arrays.asList(0, 1, 0),
                        Arrays.asList(1.5, 2.0, 3.0),
                        Arrays.asList(10L, 20L, 30L),
                        null,
                        2);
        String vertex = "0a448493b4782967b150582570326227";
        RestServer.Reply reply = server.get("/jobs/" + JOB + "/vertices/" + vertex + "/key-groups");

        assertThat(reply.status).isEqualTo(200);
        assertThat(reply.body)
                .isEqualTo(
                        json(
                                "{'id':'cafe','name':'count','owners':[0,1,0],"
                                        + "'records-per-second':[1.5,2.0,3.0],'entries':[10,20,30],"
                                        + "'state-bytes':null,'subtasks':["
                                        + "{'key-groups':2,'records-per-second':4.5,'entries':40,"
                                        + "'state-bytes':null,'busy-ms-per-second':null,"
                                        + "'back-pressured-ms-per-second':null},"
                                        + "{'key-groups':1,'records-per-second':2.0,'entries':20,"
                                        + "'state-bytes':null,'busy-ms-per-second':null,"
                                        + "'back-pressured-ms-per-second':null}]}"));
        assertThat(asked).isEqualTo("key-groups of " + vertex);
    }

    @Test
    void showsTheRequirements() throws Exception {
        answer =
                new ResourceRequirements(
                        Collections.singletonMap("cafe", new ParallelismBounds(1, 4)));
        RestServer.Reply reply = server.get(REQUIREMENTS);
        assertThat(reply.status).isEqualTo(200);
        assertThat(reply.body)
                .isEqualTo(json("{'cafe':{'parallelism':{'lowerBound':1,'upperBound':4}}}"));
    }

    @Test
    void setsTheRequirements() throws Exception {
        answer = new ResourceRequirements(Collections.emptyMap());
        for (String version : Arrays.asList("", "/v1")) {
            RestServer.Reply reply =
                    server.send(
                            "PUT",
                            version + REQUIREMENTS,
                            "{'cafe':{'parallelism':{'lowerBound':2,'upperBound':3}}}");
            assertThat(reply.status).isEqualTo(200);
            assertThat(reply.body).isEqualTo(json("{}"));
            assertThat(asked)
                    .isEqualTo(
                            new ResourceRequirements(
                                    Collections.singletonMap("cafe", new ParallelismBounds(2, 3))));
            asked = null;
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "null",
                "{}",
                "[]",
                "{'cafe':3}",
                "{'cafe':{'parallelism':3}}",
                "{'cafe':{'parallelism':{'upperBound':3}}}",
                "{'cafe':{'parallelism':{'lowerBound':0,'upperBound':3}}}",
                "{'cafe':{'parallelism':{'lowerBound':4,'upperBound':3}}}",
                "{'cafe':{'parallelism':{'lowerBound':1.5,'upperBound':3}}}",
                "{'cafe':{'parallelism':{'lowerBound':1,'upperBound':3,'x':1}}}",
            })
    void malformedRequirementsAreABadRequest(String body) throws Exception {
        RestServer.Reply reply = server.send("PUT", REQUIREMENTS, body);
        assertThat(reply.status).isEqualTo(400);
        assertThat(reply.error()).startsWith("Malformed request: ");
        assertThat(asked).isNull();
    }

    @Test
    void takesNoOtherPut() throws Exception {
        assertThat(server.send("PUT", RESCALES, VALID).status).isEqualTo(404);
        assertThat(server.send("PUT", "/jobs/" + JOB, VALID).status).isEqualTo(404);
    }

    @Test
    void requirementsOfAnUnknownJobAreNotFound() throws Exception {
        RestServer.Reply reply =
                server.send(
                        "PUT",
                        "/jobs/" + new JobID() + "/resource-requirements",
                        "{'cafe':{'parallelism':{'lowerBound':2,'upperBound':3}}}");
        assertThat(reply.status).isEqualTo(404);
    }

    @Test
    void anElasticJobHasTheConfigurationThatAnAutoscalerLooksFor() throws Exception {
        answer =
                new Elasticity(
                        Collections.singletonList(
                                new Elasticity.Vertex(
                                        "cafe",
                                        "count",
                                        2,
                                        8,
                                        4,
                                        16,
                                        Collections.singletonList(Arrays.asList(0, 1, 2, 3)))),
                        null,
                        Collections.emptyList());
        assertThat(configuration())
                .containsEntry("jobmanager.scheduler", "adaptive")
                .containsEntry("job.autoscaler.vertex.max-parallelism", "8")
                .containsEntry("job.autoscaler.vertex.exclude.ids", "beef;feed;of a user")
                .containsEntry("rest.address", "localhost");
        answer = new Elasticity(Collections.emptyList(), "why", Collections.emptyList());
        assertThat(configuration())
                .doesNotContainKey("jobmanager.scheduler")
                .containsEntry("rest.address", "localhost");
        failWith(
                new FlinkException(
                        "Coordinator of operator "
                                + MecesCoordination.OPERATOR_ID
                                + " does not exist"));
        assertThat(configuration())
                .doesNotContainKey("jobmanager.scheduler")
                .containsEntry("rest.address", "localhost");
    }

    /** It is listed, so an autoscaler asks for it, and gives up if it is not answered. */
    @Test
    void aJobThatHasEndedHasTheConfigurationOfTheCluster() throws Exception {
        failWith(new FlinkJobNotFoundException(JOB));
        assertThat(configuration())
                .doesNotContainKey("jobmanager.scheduler")
                .containsEntry("rest.address", "localhost");
    }

    private static Map<String, String> configuration() throws Exception {
        RestServer.Reply reply = server.get("/jobs/" + JOB + "/jobmanager/config");
        assertThat(reply.status).isEqualTo(200);
        Map<String, String> entries = new HashMap<>();
        reply.body.forEach(e -> entries.put(e.path("key").asText(), e.path("value").asText()));
        return entries;
    }

    @Test
    void beginsARescale() throws Exception {
        answer = new RescaleAccepted("beef");
        RestServer.Reply reply =
                server.post(
                        RESCALES,
                        "{'vertices':[{'name':'count','parallelism':3},{'id':'cafe','parallelism':1}],"
                                + "'batch-size':10,'dry-run':false}");

        assertThat(reply.status).isEqualTo(202);
        assertThat(reply.body).isEqualTo(json("{'id':'beef'}"));
        RescaleRequest request = (RescaleRequest) asked;
        assertThat(request.vertices()).hasSize(2);
        assertThat(request.vertices().get(0).name()).isEqualTo("count");
        assertThat(request.vertices().get(0).id()).isNull();
        assertThat(request.vertices().get(0).parallelism()).isEqualTo(3);
        assertThat(request.vertices().get(1).name()).isNull();
        assertThat(request.vertices().get(1).id()).isEqualTo("cafe");
        assertThat(request.vertices().get(1).parallelism()).isEqualTo(1);
        assertThat(request.batchSize()).isEqualTo(10);
        assertThat(request.dryRun()).isFalse();
    }

    @Test
    void leavesOptionsToTheConfiguration() throws Exception {
        answer = new RescaleAccepted("beef");
        assertThat(server.post(RESCALES, VALID).status).isEqualTo(202);
        assertThat(((RescaleRequest) asked).batchSize()).isNull();
        assertThat(((RescaleRequest) asked).strategy()).isNull();
        assertThat(((RescaleRequest) asked).dryRun()).isFalse();
    }

    @Test
    void answersADryRunWithThePlan() throws Exception {
        answer =
                new RescalePlans(
                        Collections.singletonList(
                                new RescalePlans.VertexPlan(
                                                new VertexChange("cafe", "count", 1, 2),
                                                "load-aware",
                                                Arrays.asList(
                                                        Collections.singletonList(
                                                                new RescalePlans.Move(3, 0, 1)),
                                                        Collections.singletonList(
                                                                new RescalePlans.Move(2, 0, 1))),
                                                Collections.singletonList(4),
                                                Arrays.asList(2, 2))
                                        .withLoad(
                                                Collections.singletonList(10.5),
                                                Arrays.asList(5.25, 5.25))),
                        1,
                        null);
        RestServer.Reply reply =
                server.post(
                        RESCALES,
                        "{'vertices':[{'name':'count','parallelism':2}],"
                                + "'strategy':'load-aware','dry-run':true}");

        assertThat(reply.status).isEqualTo(200);
        assertThat(reply.body)
                .isEqualTo(
                        json(
                                "{'vertices':[{'id':'cafe','name':'count','from':1,'to':2,'strategy':'load-aware','steps':["
                                        + "[{'key-group':3,'from':0,'to':1}],"
                                        + "[{'key-group':2,'from':0,'to':1}]],"
                                        + "'before':[4],'after':[2,2],'load-before':[10.5],'load-after':[5.25,5.25]}],'more-slots':1,'free-slots':null}"));
        assertThat(((RescaleRequest) asked).strategy()).isEqualTo("load-aware");
        assertThat(((RescaleRequest) asked).dryRun()).isTrue();
    }

    @Test
    void showsOneRescale() throws Exception {
        answer = details("beef");
        RestServer.Reply reply = server.get(RESCALES + "/" + RESCALE);

        assertThat(reply.status).isEqualTo(200);
        assertThat(reply.body).isEqualTo(detailsJson("beef"));
        assertThat(asked).isEqualTo(RESCALE);
    }

    @Test
    void abortsARescale() throws Exception {
        answer = details("beef");
        RestServer.Reply reply = server.delete(RESCALES + "/" + RESCALE);

        assertThat(reply.status).isEqualTo(202);
        assertThat(reply.body).isEqualTo(detailsJson("beef"));
        assertThat(asked).isEqualTo("STOP " + RESCALE);
    }

    @Test
    void rollsBackARescale() throws Exception {
        answer = details("beef");

        assertThat(server.delete(RESCALES + "/" + RESCALE + "?mode=rollback").status)
                .isEqualTo(202);
        assertThat(asked).isEqualTo("ROLLBACK " + RESCALE);
    }

    @Test
    void anUnknownModeOfAbortingIsABadRequest() throws Exception {
        RestServer.Reply reply = server.delete(RESCALES + "/" + RESCALE + "?mode=undo");

        assertThat(reply.status).isEqualTo(400);
        assertThat(reply.error()).isEqualTo("mode=undo is unknown; it can be stop or rollback.");
        assertThat(asked).isNull();
    }

    @Test
    void showsAllRescales() throws Exception {
        answer = new Rescales(Arrays.asList(details("beef"), details("f00d")));
        RestServer.Reply reply = server.get(RESCALES);

        assertThat(reply.status).isEqualTo(200);
        assertThat(reply.body.path("rescales")).hasSize(2);
        assertThat(reply.body.path("rescales").path(0)).isEqualTo(detailsJson("beef"));
        assertThat(reply.body.path("rescales").path(1)).isEqualTo(detailsJson("f00d"));
        assertThat(asked).isEqualTo("rescales");
    }

    @Test
    void anUnknownJobIsNotFound() throws Exception {
        JobID unknown = new JobID();
        for (String path : new String[] {"/elasticity", "/rescales", "/rescales/" + RESCALE}) {
            RestServer.Reply reply = server.get("/jobs/" + unknown + path);
            assertThat(reply.status).as(path).isEqualTo(404);
            assertThat(reply.error()).isEqualTo("There is no running job " + unknown + ".");
        }
        assertThat(server.post("/jobs/" + unknown + "/rescales", VALID).status).isEqualTo(404);
    }

    @ParameterizedTest
    @CsvSource({
        "GET, elasticity",
        "GET, rescales",
        "POST, rescales",
        "GET, rescales/0123456789abcdef0123456789abcdef",
        "DELETE, rescales/0123456789abcdef0123456789abcdef",
        "GET, rescales/overview",
        "GET, rescales/history",
        "GET, rescales/details/0123456789abcdef0123456789abcdef",
        "GET, details",
        "GET, resource-requirements",
        "PUT, resource-requirements",
        "GET, vertices/0123456789abcdef0123456789abcdef/key-groups",
        "GET, jobmanager/config",
    })
    void aMalformedJobIdIsABadRequest(String method, String path) throws Exception {
        RestServer.Reply reply =
                server.send(
                        method,
                        "/jobs/nonsense/" + path,
                        method.equals("POST")
                                ? VALID
                                : method.equals("PUT")
                                        ? "{'cafe':{'parallelism':{'lowerBound':2,'upperBound':3}}}"
                                        : null);
        assertThat(reply.status).isEqualTo(400);
        assertThat(reply.error()).contains("nonsense").doesNotContain("\tat ");
    }

    @ParameterizedTest
    @CsvSource({
        "GET, rescales/nonsense",
        "GET, rescales/details/nonsense",
        "DELETE, rescales/nonsense",
        "GET, vertices/nonsense/key-groups",
    })
    void aMalformedIdIsABadRequest(String method, String path) throws Exception {
        RestServer.Reply reply = server.send(method, "/jobs/" + JOB + "/" + path, null);
        assertThat(reply.status).isEqualTo(400);
        assertThat(reply.error()).contains("'nonsense' is not a ").doesNotContain("\tat ");
        assertThat(asked).isNull();
    }

    /** Flink's router decodes a path twice. */
    @ParameterizedTest
    @CsvSource({
        "%3Fa, ?a",
        "%253Fa, %3Fa",
        "%E7%0E%25%C3%A0, %",
        "%zz, %zz",
        "a%, a%",
        "a%2Fb, a/b",
        "%5B, [",
    })
    void whatIsEscapedInAnIdIsPartOfIt(String id, String decoded) throws Exception {
        for (String prefix : Arrays.asList("", "/v1")) {
            for (String path :
                    Arrays.asList(
                            "/elasticity",
                            "/details",
                            "/rescales",
                            "/rescales/details/" + RESCALE,
                            "/resource-requirements?mode=a%20b",
                            "/jobmanager/config",
                            "/vertices/" + RESCALE + "/key-groups")) {
                RestServer.Reply reply = server.get(prefix + "/jobs/" + id + path);
                assertThat(reply.status).as(path).isEqualTo(400);
                assertThat(reply.error()).contains(decoded, "is not a jobid");
            }
        }
        assertThat(server.get("/jobs/" + JOB + "/rescales/" + id).error())
                .contains(decoded, "is not a rescaleid");
        assertThat(asked).isNull();
    }

    @Test
    void detailsOfAnUnknownJobAreNotFound() throws Exception {
        JobID unknown = new JobID();
        RestServer.Reply reply = server.get("/jobs/" + unknown + "/details");
        assertThat(reply.status).isEqualTo(404);
        assertThat(reply.error()).contains(unknown.toString()).doesNotContain("\tat ");
    }

    @Test
    void aBodyThatIsNestedTooDeeplyIsABadRequest() throws Exception {
        StringBuilder body = new StringBuilder("{'cafe':");
        for (int i = 0; i < 200_000; i++) {
            body.append('[');
        }
        for (String method : Arrays.asList("PUT", "POST")) {
            RestServer.Reply reply =
                    server.send(
                            method,
                            method.equals("PUT") ? REQUIREMENTS : RESCALES,
                            body.toString());
            assertThat(reply.status).isEqualTo(400);
            assertThat(reply.error()).startsWith("Malformed request: ");
        }
    }

    @Test
    void whatNobodyHasForeseenIsToldWithoutAStackTrace() throws Exception {
        failWith(new IllegalStateException("unforeseen"));
        RestServer.Reply reply = server.post(RESCALES, VALID);
        assertThat(reply.status).isEqualTo(500);
        assertThat(reply.body.toString()).contains("unforeseen").doesNotContain("\\tat ");
    }

    @ParameterizedTest
    @CsvSource({"NOT_FOUND, 404", "BAD_REQUEST, 400", "CONFLICT, 409"})
    void aRefusalHasTheStatusOfItsKindAndItsMessage(Kind kind, int status) throws Exception {
        failWith(new FlinkException("on the way", new RescaleRefusedException(kind, "Do this.")));
        RestServer.Reply reply = server.post(RESCALES, VALID);
        assertThat(reply.status).isEqualTo(status);
        assertThat(reply.error()).isEqualTo("Do this.");

        reply = server.get(RESCALES + "/" + RESCALE);
        assertThat(reply.status).isEqualTo(status);
        assertThat(reply.error()).isEqualTo("Do this.");
    }

    @Test
    void aJobOnFlinksOwnSchedulerIsNotElastic() throws Exception {
        failWith(
                new FlinkException(
                        "Coordinator of operator "
                                + MecesCoordination.OPERATOR_ID
                                + " does not exist"));
        RestServer.Reply reply = server.get("/jobs/" + JOB + "/elasticity");
        assertThat(reply.status).isEqualTo(400);
        assertThat(reply.error()).startsWith("Job " + JOB + " cannot be rescaled: ");
    }

    @Test
    void aJobThatStartsIsAConflict() throws Exception {
        failWith(new UnavailableDispatcherOperationException("initializing"));
        RestServer.Reply reply = server.post(RESCALES, VALID);
        assertThat(reply.status).isEqualTo(409);
        assertThat(reply.error()).contains("still starting");
    }

    @Test
    void whatNobodyExpectedIsAnInternalError() throws Exception {
        failWith(new TimeoutException("no answer"));
        RestServer.Reply reply = server.get(RESCALES);
        assertThat(reply.status).isEqualTo(500);
        assertThat(reply.body.path("errors").toString()).contains("no answer");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{'vertices':[]} | missing or empty",
                "{} | missing or empty",
                "{'vertices':null} | missing or empty",
                "{'vertices':[null]} | neither",
                "{'vertices':[{'parallelism':3}]} | `\"vertices\"[0] has neither \"id\" nor`",
                "{'vertices':[{'name':'a','parallelism':3},{'name':'a','id':'b','parallelism':3}]}"
                        + " | `\"vertices\"[1] has both \"id\" and \"name\"`",
                "{'vertices':[{'name':'a'}]} | `no \"parallelism\"`",
                "{'vertices':[{'name':'a','parallelism':null}]} | `no \"parallelism\"`",
                "{'vertices':[{'name':'a','parallelism':0}]} | at least 1",
                "{'vertices':[{'name':'a','parallelism':2.9}]} | vertices[0].parallelism",
                "{'vertices':[{'name':'a','parallelism':'2'}]} | vertices[0].parallelism",
                "{'vertices':[{'name':'a','parallelism':99999999999}]} | out of range",
                "{'vertices':[{'name':'a','parallelism':3}],'batch-size':0} | at least 1",
                "{'vertices':[{'name':'a','parallelism':3}],'batch-size':1.5} | batch-size",
                "{'vertices':[{'name':'a','parallelism':3}],'batchSize':1}"
                        + " | `unknown field \"batchSize\"`",
                "{'vertices':[{'name':'a','parallelism':3,'speed':1}]}"
                        + " | `unknown field \"speed\" at vertices[0].speed`",
                "{'vertices':'a'} | vertices",
                "{'vertices':[{'name':7,'parallelism':3}]} | vertices[0].name",
                "{'vertices':[{'name':true,'parallelism':3}]} | vertices[0].name",
                "{'vertices':[{'name':'a','parallelism':3}],'dry-run':'true'} | dry-run",
                "{'vertices':[{'name':'a','parallelism':3}],'dry-run':1} | dry-run",
                "{'vertices':[{'name':'a','parallelism':3}],'strategy':5} | strategy",
                "{'vertices':[{'name':'a','parallelism':3}]} {} | railing",
                "{'vertices':[{'name':'a','name':'b','parallelism':3}]} | uplicate",
                "{'vertices':[ | end-of-input",
                "nonsense | nonsense",
                "null | body is null",
                "`` | no body",
            })
    void aMalformedBodyIsABadRequest(String body, String expected) throws Exception {
        RestServer.Reply reply = server.post(RESCALES, body);
        assertThat(reply.status).isEqualTo(400);
        assertThat(reply.error()).startsWith("Malformed request: ").contains(expected);
        assertThat(asked).isNull();
    }

    @Test
    void keepsFlinksOwnHandlers() throws Exception {
        assertThat(server.get("/config").body.path("flink-version").asText())
                .startsWith(FlinkLine.NAME);
    }

    @Test
    void tellsOfRescalesAsFlink23Does() throws Exception {
        RescaleDetails failed =
                RescaleDetails.of("aa", RescaleStatus.FAILED)
                        .cause(RescaleCause.RECOVERY)
                        .time(1_000, 50)
                        .build();
        RescaleDetails aborted =
                RescaleDetails.of("cc", RescaleStatus.ABORTED).cause(RescaleCause.USER).build();
        answer = new Rescales(Arrays.asList(failed, details("bb"), aborted));
        JsonNode overview = server.get(RESCALES + "/overview").body;
        assertThat(overview.path("rescalesCounts"))
                .isEqualTo(json("{'ignored':1,'inProgress':1,'completed':0,'failed':1}"));
        assertThat(overview.path("latest").path("failed").path("rescaleUuid").asText())
                .isEqualTo("aa");
        assertThat(overview.path("latest").path("completed").isNull()).isTrue();
        JsonNode history = server.get(RESCALES + "/history").body;
        assertThat(history.findValuesAsText("rescaleUuid")).containsExactly("aa", "bb", "cc");
        assertThat(history.findValuesAsText("triggerCause"))
                .containsExactly(
                        "RECOVERABLE_FAILOVER", "NEW_RESOURCE_AVAILABLE", "UPDATE_REQUIREMENT");
        assertThat(history.path(0).path("endTimestampInMillis").asLong()).isEqualTo(1_050);
        assertThat(history.path(1).path("endTimestampInMillis").isNull()).isTrue();
        assertThat(history.path(1).path("vertices").path("cafe").path("desiredParallelism").asInt())
                .isEqualTo(3);
        answer = details("bb");
        JsonNode event = server.get(RESCALES + "/details/" + RESCALE).body;
        assertThat(asked).isEqualTo(RESCALE);
        assertThat(event.path("terminalState").isNull()).isTrue();
        assertThat(event.path("schedulerStates").isArray()).isTrue();
    }

    private static RescaleDetails details(String id) {
        return RescaleDetails.of(id, RescaleStatus.RUNNING)
                .state(RescaleState.STARTING)
                .cause(RescaleCause.SLOTS)
                .attempt(2)
                .vertices(Collections.singletonList(new VertexChange("cafe", "count", 2, 3)))
                .steps(1, 4)
                .units(250, 1000)
                .unitsOnDemand(17)
                .keysFetched(5)
                .bytes(123456789012L)
                .longestStopMicros(1_500)
                .waits(7, 21, 9)
                .orderEvents(34)
                .firstRecordMs(12L)
                .time(1600000000000L, 42)
                .longestWithoutCheckpointMs(1_700L)
                .missingSlots(3, 1600000060000L)
                .interruption("the job restarts")
                .build();
    }

    private static JsonNode detailsJson(String id) throws IOException {
        return json(
                "{'id':'"
                        + id
                        + "','status':'RUNNING','state':'STARTING','cause':'SLOTS','attempt':2,'vertices':["
                        + "{'id':'cafe','name':'count','from':2,'to':3}],'steps-total':4,"
                        + "'steps-completed':1,'units-total':1000,'units-migrated':250,"
                        + "'units-on-demand':17,'keys-fetched':5,'bytes':123456789012,'longest-stop-micros':1500,"
                        + "'records-waited':7,'total-wait-micros':21,'longest-wait-micros':9,'order-events':34,'first-record-ms':12,"
                        + "'start-time':1600000000000,'duration-ms':42,'longest-without-checkpoint-ms':1700,"
                        + "'missing-slots':3,'slots-awaited-until':1600000060000,"
                        + "'interruption':'the job restarts','failure':null}");
    }

    /** Quotes may be single ones. */
    private static JsonNode json(String text) throws IOException {
        return new ObjectMapper().readTree(text.replace('\'', '"'));
    }
}
