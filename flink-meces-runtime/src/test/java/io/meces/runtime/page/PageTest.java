// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.api.AbortMode;
import io.meces.api.Elasticity;
import io.meces.api.RescaleDetails;
import io.meces.api.RescaleRequest;
import io.meces.api.RescaleStatus;
import io.meces.flink.runtime.TestGraphs;
import io.meces.runtime.MecesOptions;
import io.meces.runtime.live.Clusters;
import io.meces.runtime.live.Jobs;
import io.meces.runtime.live.Ledger;
import io.meces.runtime.testing.MecesMiniCluster;
import java.net.HttpURLConnection;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.WebOptions;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.SinkFunction;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.Keys;

/**
 * The web page in a real browser, in front of a real cluster. Pictures of what it looks like go to
 * {@code target/page}.
 */
@Tag("full")
@Timeout(120)
class PageTest {

    private static final Path PICTURES = Paths.get("target", "page");
    private static final String RUNNING = "#running-title";
    private static final String OUTCOMES = ".history .outcome";

    @TempDir static Path directory;

    private static Chromium browser;
    private static Axe axe;
    private static MecesMiniCluster cluster;

    /** With 128 key-groups. */
    private static Ledger ledger;

    private static JobID job;

    /** With 1,024 key-groups: a rescale of it in small steps takes its time. */
    private static Ledger ledgerOfLarge;

    private static JobID large;

    @BeforeAll
    static void start() throws Exception {
        browser = Chromium.start(directory.resolve("profile"));
        axe = new Axe(browser);
        Configuration configuration = new Configuration();
        configuration.set(WebOptions.TMP_DIR, directory.resolve("web").toString());
        configuration.set(MecesOptions.MAX_RESCALE_PARALLELISM, 8);
        cluster = Clusters.start(2, 8, configuration);
        ledger = new Ledger();
        ledger.rate = 1_000;
        job = submit(cluster, ledger, 128);
        ledgerOfLarge = new Ledger();
        ledgerOfLarge.rate = 1_000;
        large = submit(cluster, ledgerOfLarge, 1_024);
        ledger.awaitResults(2_000);
        ledgerOfLarge.awaitResults(2_000);
        cluster.running(job).get();
        cluster.running(large).get();
    }

    private static JobID submit(MecesMiniCluster at, Ledger ledger, int keyGroups)
            throws Exception {
        StreamExecutionEnvironment env = Jobs.counting(ledger, 20_000, Long.MAX_VALUE, 500);
        env.setMaxParallelism(keyGroups);
        env.getConfig().setLatencyTrackingInterval(200);
        return at.submit(TestGraphs.of(env, "Counting"));
    }

    @AfterAll
    static void stop() throws Exception {
        if (cluster != null) {
            cluster.close();
        }
        if (browser != null) {
            browser.close();
        }
    }

    @AfterEach
    void putBack() throws Exception {
        for (JobID each : new JobID[] {job, large}) {
            for (RescaleDetails rescale : cluster.rescales(each).get()) {
                if (rescale.status() == RescaleStatus.RUNNING) {
                    cluster.abort(each, rescale.id(), AbortMode.ROLLBACK);
                }
            }
            Ledger.awaitOrFail(
                    "the end of a rescale",
                    () ->
                            cluster.rescales(each).get().stream()
                                    .allMatch(rescale -> rescale.status().isTerminal()));
            if (vertex(each).parallelism() != 2) {
                assertThat(cluster.rescale(each, "count", 2).get().status())
                        .isEqualTo(RescaleStatus.FINISHED);
            }
        }
    }

    private static Elasticity.Vertex vertex(JobID of) throws Exception {
        return cluster.elasticity(of).get().vertices().get(0);
    }

    private static RescaleDetails latest(JobID of) throws Exception {
        return latest(cluster, of);
    }

    private static RescaleDetails latest(MecesMiniCluster at, JobID of) throws Exception {
        List<RescaleDetails> all = at.rescales(of).get();
        return all.get(all.size() - 1);
    }

    /** Opens the page anew. */
    private static void open(MecesMiniCluster at, JobID shown) throws Exception {
        browser.open("about:blank");
        browser.console();
        browser.requests();
        browser.open(at.restAddress() + "/meces/#job=" + shown);
        await("the key-groups", () -> !browser.all(".cell").isEmpty());
        await("the load", () -> !browser.texts(".subtasks tbody tr").isEmpty());
    }

    private static void await(String what, Ledger.Condition condition) throws Exception {
        try {
            Ledger.awaitOrFail(what, condition);
        } catch (java.util.concurrent.TimeoutException e) {
            throw new AssertionError(what + " is not in " + browser, e);
        }
    }

    private static void click(String selector, String text) throws Exception {
        AtomicBoolean clicked = new AtomicBoolean();
        await(
                text,
                () -> {
                    // once only: conditions are looked at again
                    clicked.set(clicked.get() || browser.click(selector, text));
                    return clicked.get();
                });
    }

    /** Takes a picture; there must be no barrier in what it shows. */
    private static void look(String name) throws Exception {
        browser.picture(PICTURES.resolve(name + ".png"));
        assertThat(axe.findings(PICTURES.resolve(name + ".axe.txt")))
                .as("barriers in %s.png", name)
                .isEmpty();
    }

    /** The subtask of each key-group, as it is shown. */
    private static List<Integer> shownOwners() {
        return ((List<?>)
                        browser.script(
                                "return [...document.querySelectorAll('.cell')]"
                                        + ".map(c => c.dataset.owner)"))
                .stream().map(o -> Integer.valueOf(o.toString())).collect(Collectors.toList());
    }

    private static List<Integer> owners(JobID of) throws Exception {
        Elasticity.Vertex vertex = vertex(of);
        return IntStream.range(0, vertex.maxParallelism())
                .mapToObj(
                        keyGroup ->
                                IntStream.range(0, vertex.parallelism())
                                        .filter(i -> vertex.keyGroups().get(i).contains(keyGroup))
                                        .findFirst()
                                        .orElseThrow(AssertionError::new))
                .collect(Collectors.toList());
    }

    private static void assertThatNothingIsAmiss(MecesMiniCluster at) throws Exception {
        String address = at.restAddress().toString();
        assertThat(browser.console())
                .allMatch(message -> message.contains("/resource-requirements - Failed to load"));
        assertThat(browser.requests())
                .isNotEmpty()
                .allMatch(url -> url.startsWith(address) || url.startsWith("data:"));
        assertThat(browser.texts("[role=alert]")).isEmpty();
    }

    private static void assertExact(Ledger books) throws Exception {
        Ledger.Verdict verdict = books.settle();
        books.resume();
        assertThat(verdict.duplicated).isZero();
        assertThat(verdict.distinct).isEqualTo(verdict.emitted);
    }

    @Test
    void showsAJobAtRestInLightAndDark() throws Exception {
        open(cluster, job);
        assertThat(shownOwners()).isEqualTo(owners(job));
        assertThat(browser.texts(".vertices tbody tr"))
                .hasSize(3)
                .anyMatch(row -> row.contains("not elastic"))
                .anyMatch(row -> row.startsWith("count") && row.contains("128"));
        await(
                "what is shown over time",
                () ->
                        browser.texts(".vertex h3")
                                .equals(
                                        Arrays.asList(
                                                "Records per second",
                                                "Busy",
                                                "Latency markers, p99",
                                                "Records that waited, per second",
                                                "Longest wait of a record")));
        assertThat(browser.texts(".advice")).isEmpty();
        assertThat(browser.texts(".vertices a")).containsExactly("Flink", "Flink", "Flink");
        assertThat(browser.all(".vertices a").get(1).getAttribute("href"))
                .isEqualTo(
                        cluster.restAddress()
                                + "/#/job/"
                                + job
                                + "/overview/"
                                + vertex(job).id()
                                + "/detail");
        assertThat(browser.all(".top a").get(0).getAttribute("href"))
                .isEqualTo(cluster.restAddress() + "/#/job/" + job + "/overview");
        await(
                "busy subtasks and their state",
                () -> browser.texts(".subtasks tbody tr").get(0).contains("KB"));
        look("rest-light");
        Object light = browser.script("return getComputedStyle(document.body).backgroundColor");

        browser.dark(true);
        click(".modes label", "Load");
        await("the colours of loads", () -> browser.all(".cell.heat").size() == 128);
        assertThat(browser.script("return getComputedStyle(document.body).backgroundColor"))
                .isNotEqualTo(light);
        look("rest-dark");
        browser.reload();
        await("the choice after a reload", () -> browser.all(".cell.heat").size() == 128);
        browser.dark(false);
        assertThatNothingIsAmiss(cluster);
    }

    @Test
    void rescalesByKeyboardAlone() throws Exception {
        open(cluster, job);
        browser.tabTo("div: Key-group 0:");
        browser.press(Keys.ARROW_RIGHT, Keys.ARROW_DOWN, Keys.END);
        assertThat(browser.focused()).startsWith("div: Key-group 31:");
        assertThat(browser.texts(".details").get(0)).startsWith("Key-group 31: subtask 0");
        browser.tabTo("input: parallelism");
        browser.press("3");
        await("four plans", () -> browser.all("canvas.picture").size() == 4);
        look("plans");
        browser.press(Keys.ENTER);
        await("the question", () -> !browser.all("dialog[open]").isEmpty());
        browser.press(Keys.ESCAPE);
        await("the answer", () -> browser.all("dialog").isEmpty());
        assertThat(browser.focused()).isEqualTo("input: parallelism");
        int before = cluster.rescales(job).get().size();

        browser.press(Keys.ENTER);
        await("the question", () -> !browser.all("dialog[open]").isEmpty());
        assertThat(browser.focused()).isEqualTo("button: Rescale");
        browser.press(Keys.ENTER);
        await("the end", () -> browser.all(".subtasks tbody tr").size() == 3);
        await("the history", () -> browser.texts(OUTCOMES).size() == before + 1);
        assertThat(browser.texts(OUTCOMES).get(0)).isEqualTo("finished");
        assertThat(latest(job).vertices().get(0).to()).isEqualTo(3);
        await("the new owners", () -> shownOwners().equals(owners(job)));
        look("after");
        assertThat(browser.texts(".vertices thead").get(0))
                .as("nothing is required of the vertex")
                .doesNotContain("Required");
        browser.width(800);
        assertThat(
                        (List<?>)
                                browser.script(
                                        "return [...document.querySelectorAll('.scroll')]"
                                                + ".filter(e => e.scrollWidth > e.clientWidth)"
                                                + ".map(e => e.innerText)"))
                .as("tables that are cut off")
                .isEmpty();
        look("narrow");
        browser.width(1_280);
        assertThatNothingIsAmiss(cluster);
        assertExact(ledger);
    }

    @Test
    void followsARescaleAndRollsItBack() throws Exception {
        open(cluster, large);
        List<Integer> before = owners(large);
        beginSlowly();
        await(
                "moved units",
                () -> !browser.texts(RUNNING).isEmpty() && latest(large).unitsMigrated() > 0);
        await(
                "steps",
                () ->
                        browser.texts(".running .figures")
                                .toString()
                                .matches("(?s).*[1-9]\\d* of about \\d+.*"));
        look("running");
        click(".running button", "Roll back…");
        look("question");
        click("dialog button", "Roll back");
        await("its end", () -> latest(large).status() == RescaleStatus.ABORTED);
        await("the history", () -> browser.texts(OUTCOMES).contains("aborted"));
        await("the old owners", () -> shownOwners().equals(before));
        assertThatNothingIsAmiss(cluster);
        assertExact(ledgerOfLarge);
    }

    @Test
    void stopsARescaleWhereItIs() throws Exception {
        open(cluster, large);
        beginSlowly();
        await(
                "moved units",
                () -> !browser.texts(RUNNING).isEmpty() && latest(large).unitsMigrated() > 0);
        click(".running button", "Stop here…");
        click("dialog button", "Stop here");
        await("its end", () -> latest(large).status() == RescaleStatus.ABORTED);
        await(
                "the owners",
                () -> browser.texts(RUNNING).isEmpty() && shownOwners().equals(owners(large)));
        assertThatNothingIsAmiss(cluster);
    }

    /** In steps of one key-group, between which checkpoints pass. */
    private static void beginSlowly() throws Exception {
        browser.all("input[name=parallelism]").get(0).sendKeys("4");
        browser.all("input[name=batch-size]").get(0).sendKeys("1");
        click(".planner button", "Rescale…");
        click("dialog button", "Rescale");
        await("the rescale", () -> !browser.texts(RUNNING).isEmpty());
    }

    @Test
    void saysWhatTheJobManagerSays() throws Exception {
        open(cluster, large);
        browser.all("input[name=parallelism]").get(0).sendKeys("3");
        click(".planner button", "Rescale…");
        await("the question", () -> !browser.all("dialog[open]").isEmpty());
        // else it may see the other rescale before the click
        hide();
        cluster.rescale(
                large,
                RescaleRequest.of(RescaleRequest.Target.byName("count", 4)).withBatchSize(1));
        await("another rescale", () -> !latest(large).status().isTerminal());
        click("dialog button", "Rescale");
        await("the refusal", () -> !browser.texts("dialog [role=alert]").isEmpty());
        assertThat(browser.texts("dialog [role=alert]").get(0))
                .startsWith("Rescale " + latest(large).id() + " of this job is still running.")
                .contains("abort");
    }

    /** As if the user looked at another page. */
    private static void hide() throws Exception {
        browser.script(
                "Object.defineProperty(document, 'hidden', {get: () => window.isHidden});"
                        + "window.isHidden = true;"
                        + "document.dispatchEvent(new Event('visibilitychange'))");
        await("the pause", () -> browser.texts(".look").contains("paused"));
    }

    /** In pairs: when it was asked (s), and the number of records that Flink told. */
    private static List<String> rates(String looks) {
        return ((List<?>)
                        browser.script(
                                "return import('./rates.js').then(({withRates}) => {"
                                        + "let before = null;"
                                        + "return "
                                        + looks
                                        + ".map(([at, records]) => {"
                                        + "before = withRates([{id: 'v', name: 'v', parallelism: 1,"
                                        + " metrics: {'read-records': records}}], before,"
                                        + " 1000 * at);"
                                        + "return String(before[0].rate)})})"))
                .stream().map(Object::toString).collect(Collectors.toList());
    }

    @Test
    void ratesAreOfChangesThatWereSeen() throws Exception {
        open(cluster, job);
        assertThat(rates("[[0, 1000], [5, 1000], [10, 601000], [15, 601000], [20, 611000]]"))
                .as("Flink first tells what it fetched when it was asked last")
                .containsExactly("null", "null", "null", "null", "1000");
        assertThat(
                        rates(
                                "[[0, 1], [5, 1001], [15, 2001], [600, 2001], [605, 602001], [615, 603001]]"))
                .as("nobody has asked for ten minutes")
                .containsExactly("null", "null", "100", "null", "null", "100");
        assertThat(
                        rates(
                                "[[0, 1], [5, 1001], [15, 2001], [20, 2001], [39, 2001], [41, 2001], [45, 5]]"))
                .as("nothing is read, then subtasks leave")
                .containsExactly("null", "null", "100", "100", "100", "0", "null");
    }

    /**
     * What the page advises.
     *
     * @param subtasks records per second, ms busy, and ms under back pressure, for 30 s
     */
    private static String advice(String subtasks, String keyGroups, boolean running) {
        return advice(subtasks, keyGroups, "[0, 15000, 31000]", running);
    }

    private static String advice(String subtasks, String keyGroups, String times, boolean running) {
        return (String)
                browser.script(
                        "return import('./advice.js').then(({advice}) => advice("
                                + "{parallelism: 2, capacity: 2},"
                                + "{subtasks: "
                                + subtasks
                                + ".map(([r, b, p]) => ({'records-per-second': r,"
                                + " 'busy-ms-per-second': b, 'back-pressured-ms-per-second': p})),"
                                + " 'records-per-second': "
                                + keyGroups
                                + "}, "
                                + times
                                + ".map(at => ({at, busy: "
                                + subtasks
                                + ".map(([r, b, p]) => b)})), "
                                + running
                                + ").join(' '))");
    }

    @Test
    void saysWhatToDoAboutBackPressureSkewAndTooFewSubtasks() throws Exception {
        open(cluster, job);
        assertThat(advice("[[100, 300, 0], [110, 320, 0]]", "[50, 50, 55, 55]", false)).isEmpty();
        assertThat(advice("[[null, null, null]]", "null", false)).isEmpty();
        assertThat(advice("[[5, 10, 0], [0, 0, 0]]", "[5, 0]", false)).as("too few").isEmpty();
        assertThat(advice("[[100, 30, 810], [100, 30, 900]]", "[100, 100]", true))
                .startsWith("Back pressure: subtask 1 waits for its consumers 90 % of the time.");
        assertThat(advice("[[400, 300, 0], [40, 30, 0]]", "[100, 100, 100, 100, 40]", false))
                .startsWith("Skew: subtask 0 has 1.8 times the mean of the records. Rescale by")
                .contains("to 2 subtasks as now");
        assertThat(advice("[[400, 300, 0], [40, 30, 0]]", "[400, 0, 40]", false))
                .contains("Key-group 0 alone has 91 % of all");
        assertThat(advice("[[400, 300, 0], [40, 30, 0]]", "[400, 0, 40]", true))
                .as("it is changing")
                .isEmpty();
        assertThat(advice("[[100, 950, 0], [100, 990, 0]]", "[100, 100]", false))
                .startsWith("At its limit:")
                .contains("no more than 2", "meces.rescale.max-parallelism");
        assertThat(advice("[[100, 950, 0], [100, 99, 0]]", "[100, 100]", false)).isEmpty();
        assertThat(advice("[[9, 1000, 0], [9, 1000, 0]]", "[9, 9]", "[0, 15000]", false))
                .as("subtasks that have just begun")
                .isEmpty();
    }

    @Test
    void timesOfLongAgoAreNotShown() throws Exception {
        open(cluster, job);
        assertThat(
                        browser.script(
                                "return import('./rates.js').then(({isOutOfDate, withoutTimes}) =>"
                                        + " JSON.stringify([isOutOfDate(20000, 0), isOutOfDate(600000, 0),"
                                        + " withoutTimes({subtasks: [{'key-groups': 4,"
                                        + " 'busy-ms-per-second': 900,"
                                        + " 'back-pressured-ms-per-second': 10}]})]))"))
                .isEqualTo(
                        "[false,true,{\"subtasks\":[{\"key-groups\":4,"
                                + "\"busy-ms-per-second\":null,"
                                + "\"back-pressured-ms-per-second\":null}]}]");
    }

    @Test
    void boundsAreShownThatSomebodyHasSet() throws Exception {
        open(cluster, job);
        String id = vertex(job).id();
        browser.script(
                String.format(
                        "return fetch('../jobs/%s/resource-requirements', {method: 'PUT',"
                                + " headers: {'Content-Type': 'application/json'}, body:"
                                + " JSON.stringify({'%s': {parallelism: {lowerBound: 2, upperBound: 2}}})})"
                                + ".then(answer => answer.status)",
                        job, id));
        await("the bounds", () -> browser.texts(".vertices thead").get(0).contains("Required"));
        assertThat(browser.texts(".vertices tbody tr").get(1)).contains("2 to 2");
        look("required");
        // by hand: nothing is required any more
        cluster.rescale(job, "count", 2).get();
        await("no bounds", () -> !browser.texts(".vertices thead").get(0).contains("Required"));
        assertThatNothingIsAmiss(cluster);
    }

    @Test
    void aRescaleBetweenTwoAnswersLooksLikeNoBounds() throws Exception {
        open(cluster, job);
        assertThat(
                        browser.script(
                                "return import('./bounds.js').then(({bounds, confirmed}) => {"
                                        + "const look = (upper, now) => bounds("
                                        + " {v: {parallelism: {lowerBound: 1, upperBound: upper}}},"
                                        + " {vertices: [{id: 'v', parallelism: now}]});"
                                        + "return JSON.stringify([confirmed(look(2, 3), undefined),"
                                        + " confirmed(look(2, 3), look(2, 2)),"
                                        + " confirmed(look(3, 3), look(3, 3)),"
                                        + " confirmed(look(4, 3), look(4, 3))])})"))
                .isEqualTo("[{},{},{},{\"v\":\"1 to 4\"}]");
    }

    @Test
    void waitsAreThoseSinceTheLastLook() throws Exception {
        open(cluster, job);
        assertThat(
                        browser.script(
                                "return import('./samples.js').then(({sampled}) => {"
                                        + "let last = {samples: []};"
                                        + "const look = (at, ...rescales) => {"
                                        + " const next = {job: {jid: 'j'}, vertex: {id: 'v'}, latency: null,"
                                        + " keyGroups: {subtasks: [], 'records-per-second': []}, rescales:"
                                        + " rescales.map(([id, status, waited, longest]) => ({id, status,"
                                        + " 'records-waited': waited, 'longest-wait-micros': longest}))};"
                                        + " next.samples = sampled(next, last, 1000 * at); last = next;};"
                                        + "look(0, ['a', 'FINISHED', 70, 9000]);"
                                        + "look(5, ['a', 'FINISHED', 70, 9000]);"
                                        + "look(10, ['a', 'FINISHED', 70, 9000], ['b', 'RUNNING', 20, 3000]);"
                                        + "look(11, ['a', 'FINISHED', 70, 9000], ['b', 'FINISHED', 50, 4000]);"
                                        + "look(16, ['b', 'FINISHED', 50, 4000]);"
                                        + "return last.samples.map(s => `${s.waited} ${s.longest}`).join()})"))
                .isEqualTo("null null,0 0,4 3,30 4,0 0");
    }

    @Test
    void asksForNothingWhileItIsHidden() throws Exception {
        open(cluster, job);
        hide();
        browser.script(
                "window.isHidden = false; document.dispatchEvent(new Event('visibilitychange'))");
        await("the end of the pause", () -> browser.texts(".look").contains("every 5 s"));
        assertThatNothingIsAmiss(cluster);
    }

    @Test
    void showsAThousandKeyGroups() throws Exception {
        open(cluster, large);
        assertThat(browser.all(".cell")).hasSize(1_024);
        browser.tabTo("div: Key-group 0:");
        browser.pressWithControl(Keys.END);
        assertThat(browser.focused()).startsWith("div: Key-group 1023:");
        browser.all("input[name=parallelism]").get(0).sendKeys("5");
        await("four plans", () -> browser.all("canvas.picture").size() == 4);
        look("thousand");
        assertThatNothingIsAmiss(cluster);
    }

    /**
     * They are drawn. How smooth that is while they are rescaled and looked at every second goes to
     * {@code target/page} only: no test may depend on how fast the machine is.
     */
    @Test
    void drawsFourThousandKeyGroups() throws Exception {
        Configuration configuration = new Configuration();
        configuration.set(WebOptions.TMP_DIR, directory.resolve("drawn").toString());
        configuration.set(MecesOptions.MAX_RESCALE_PARALLELISM, 8);
        Ledger others = new Ledger();
        others.rate = 200;
        try (MecesMiniCluster at = Clusters.start(1, 4, configuration)) {
            JobID shown = submit(at, others, 4_096);
            at.running(shown).get();
            browser.open("about:blank");
            browser.open(at.restAddress() + "/meces/#job=" + shown);
            await("the load", () -> !browser.texts(".subtasks tbody tr").isEmpty());
            browser.tabTo("canvas: Key-groups. Arrow keys move. Key-group 0: subtask 0");
            browser.pressWithControl(Keys.END);
            assertThat(browser.focused()).contains("Key-group 4095: subtask 1");
            assertThat(browser.texts(".details").get(0)).startsWith("Key-group 4095: subtask 1");
            look("drawn");
            String rest = frames();
            beginSlowly();
            String rescaling = frames();
            assertThat(latest(at, shown).status()).isEqualTo(RescaleStatus.RUNNING);
            look("drawn-running");
            Files.write(
                    PICTURES.resolve("frames.txt"),
                    Arrays.asList("at rest: " + rest, "in a rescale: " + rescaling));
        }
    }

    /** Of ten seconds: how many frames, and how many ms between two of them. */
    private static String frames() {
        return (String)
                browser.script(
                        "return new Promise(done => {"
                                + "const at = []; const frame = now => { at.push(now);"
                                + " if (now - at[0] < 10000) { requestAnimationFrame(frame); return; }"
                                + " const gaps = at.slice(1).map((t, i) => t - at[i])"
                                + ".sort((a, b) => a - b);"
                                + " const part = p => gaps[Math.floor(p * (gaps.length - 1))].toFixed(1);"
                                + " done(`${(1000 * gaps.length / (now - at[0])).toFixed(1)} frames/s;"
                                + " ms between: p50 ${part(0.5)}, p95 ${part(0.95)}, p99 ${part(0.99)},"
                                + " max ${part(1)}; ${gaps.filter(g => g > 34).length} above 34`)};"
                                + "requestAnimationFrame(frame)})");
    }

    /** The job has a source and a counter, two subtasks each, that share two slots. */
    @Test
    void saysHowManySlotsARescaleWaitsFor() throws Exception {
        Configuration configuration = new Configuration();
        configuration.set(WebOptions.TMP_DIR, directory.resolve("slots").toString());
        configuration.set(MecesOptions.MAX_RESCALE_PARALLELISM, 8);
        Ledger others = new Ledger();
        others.rate = 500;
        try (MecesMiniCluster small = Clusters.start(1, 3, configuration)) {
            JobID shown = submit(small, others, 128);
            small.running(shown).get();
            open(small, shown);
            browser.all("input[name=parallelism]").get(0).sendKeys("3");
            await("what is free", () -> browser.texts(".hint").get(0).endsWith("1 free slot."));
            browser.all("input[name=parallelism]").get(0).sendKeys(Keys.BACK_SPACE, "6");
            await(
                    "what is missing",
                    () ->
                            browser.texts(".hint")
                                    .get(0)
                                    .endsWith(
                                            "4 more slots are needed: the rescale waits for them."));
            click(".planner button", "Rescale…");
            await("the question", () -> !browser.all("dialog[open]").isEmpty());
            assertThat(browser.texts("dialog").get(0))
                    .contains("4 more slots are needed; 1 is free.");
            click("dialog button", "Rescale");
            await(
                    "what it waits for",
                    () ->
                            browser.texts(".running .notice").stream()
                                    .anyMatch(text -> text.startsWith("3 slots are missing.")));
            look("slots");
            small.startTaskManager();
            await("the end", () -> browser.texts(OUTCOMES).contains("finished"));
            assertThatNothingIsAmiss(small);
            assertExact(others);
        }
    }

    @Test
    void saysThatThereIsNoJobAndWhyOneCannotBeRescaled() throws Exception {
        Configuration configuration = new Configuration();
        configuration.set(WebOptions.TMP_DIR, directory.resolve("others").toString());
        try (MecesMiniCluster others = Clusters.start(1, 1, configuration)) {
            URL jobs = new URL(others.restAddress() + "/jobs/overview");
            await(
                    "a leader, without which nothing is served",
                    () -> ((HttpURLConnection) jobs.openConnection()).getResponseCode() == 200);
            browser.open(others.restAddress() + "/meces/");
            await("that there is none", () -> !browser.texts(".empty").isEmpty());
            assertThat(browser.texts(".empty").get(0)).startsWith("No job runs here.");
            look("no-jobs");

            StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
            env.setParallelism(1);
            env.fromSequence(0, Long.MAX_VALUE).addSink(new Slow());
            JobID refused = others.submit(TestGraphs.of(env, "Nothing keyed"));
            await("the refusal", () -> !browser.texts(".notice").isEmpty());
            assertThat(browser.texts(".notice").get(0))
                    .startsWith("This job cannot be rescaled.")
                    .contains("keyBy");
            await("its vertex", () -> browser.texts(".vertices tbody tr").size() == 1);
            look("refused");

            others.flink().cancelJob(refused).get();
            await(
                    "its end",
                    () -> browser.texts(".empty").contains("This job has ended: it is canceled."));
            look("ended");
            browser.script("document.body.append(document.createElement('button'))");
            assertThat(axe.findings(directory.resolve("axe.txt")))
                    .as("a button without a name")
                    .hasSize(1)
                    .allMatch(finding -> finding.contains("button-name"));
        }
    }

    @Test
    void theKeyboardLeadsToAllThatCanBeUsed() throws Exception {
        open(cluster, job);
        browser.all("input[name=parallelism]").get(0).sendKeys("3");
        await("four plans", () -> browser.all("canvas.picture").size() == 4);
        // of radio buttons of one name it leads to the one that is chosen
        browser.script(
                "document.activeElement.blur();"
                        + "window.missed = new Set([...document.querySelectorAll("
                        + "'a, button, input, select, summary, [tabindex=\"0\"]')]"
                        + ".filter(e => !e.disabled && (e.type !== 'radio' || e.checked)));"
                        + "document.addEventListener('focusin', e => missed.delete(e.target))");
        browser.tabTo("a: Flink’s page");
        browser.tabTo("body");
        assertThat((List<?>) browser.script("return [...missed].map(e => e.outerHTML)")).isEmpty();
        assertThatNothingIsAmiss(cluster);
    }

    @Test
    void onlyShowsWhereWebSubmitIsDisabled() throws Exception {
        Configuration configuration = new Configuration();
        configuration.set(WebOptions.TMP_DIR, directory.resolve("read-only").toString());
        configuration.set(WebOptions.SUBMIT_ENABLE, false);
        Ledger others = new Ledger();
        others.rate = 500;
        try (MecesMiniCluster readOnly = Clusters.start(1, 2, configuration)) {
            JobID shown = submit(readOnly, others, 128);
            others.awaitResults(500);
            open(readOnly, shown);
            await("the planner", () -> !browser.all(".planner").isEmpty());
            assertThat(browser.texts(".top .tag")).containsExactly("only shows");
            browser.all("input[name=parallelism]").get(0).sendKeys("2");
            await("four plans", () -> browser.all("canvas.picture").size() == 4);
            assertThat(browser.texts(".planner button")).isEmpty();
            look("read-only");
            assertThatNothingIsAmiss(readOnly);
        }
    }

    /** Takes a thousand records per second at most. */
    private static final class Slow implements SinkFunction<Long> {
        private static final long serialVersionUID = 1L;

        @Override
        public void invoke(Long value, Context context) {
            LockSupport.parkNanos(1_000_000);
        }
    }
}
