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
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.WebOptions;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
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
    private static MecesMiniCluster cluster;

    /** With 128 key-groups. */
    private static Ledger ledger;

    private static JobID job;

    /** With 2,048 key-groups: a rescale of it in small steps takes its time. */
    private static Ledger ledgerOfLarge;

    private static JobID large;

    @BeforeAll
    static void start() throws Exception {
        browser = Chromium.start(directory.resolve("profile"));
        Configuration configuration = new Configuration();
        configuration.set(WebOptions.TMP_DIR, directory.resolve("web").toString());
        configuration.set(MecesOptions.MAX_RESCALE_PARALLELISM, 8);
        cluster = Clusters.start(2, 8, configuration);
        ledger = new Ledger();
        ledger.rate = 1_000;
        job = submit(cluster, ledger, 128);
        ledgerOfLarge = new Ledger();
        ledgerOfLarge.rate = 1_000;
        large = submit(cluster, ledgerOfLarge, 2_048);
        ledger.awaitResults(2_000);
        ledgerOfLarge.awaitResults(2_000);
        cluster.running(job).get();
        cluster.running(large).get();
    }

    private static JobID submit(MecesMiniCluster at, Ledger ledger, int keyGroups)
            throws Exception {
        StreamExecutionEnvironment env = Jobs.counting(ledger, 20_000, Long.MAX_VALUE, 500);
        env.setMaxParallelism(keyGroups);
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
        List<RescaleDetails> all = cluster.rescales(of).get();
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
        await("the chart", () -> !browser.all(".chart path").isEmpty());
        await(
                "busy subtasks and their state",
                () -> browser.texts(".subtasks tbody tr").get(0).contains("KB"));
        browser.picture(PICTURES.resolve("rest-light.png"));
        Object light = browser.script("return getComputedStyle(document.body).backgroundColor");

        browser.dark(true);
        click(".modes label", "Load");
        await("the colours of loads", () -> browser.all(".cell.heat").size() == 128);
        assertThat(browser.script("return getComputedStyle(document.body).backgroundColor"))
                .isNotEqualTo(light);
        browser.picture(PICTURES.resolve("rest-dark.png"));
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
        browser.picture(PICTURES.resolve("plans.png"));
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
        browser.picture(PICTURES.resolve("after.png"));
        browser.width(800);
        assertThat(
                        (List<?>)
                                browser.script(
                                        "return [...document.querySelectorAll('.scroll')]"
                                                + ".filter(e => e.scrollWidth > e.clientWidth)"
                                                + ".map(e => e.innerText)"))
                .as("tables that are cut off")
                .isEmpty();
        browser.picture(PICTURES.resolve("narrow.png"));
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
        browser.picture(PICTURES.resolve("running.png"));
        click(".running button", "Roll back…");
        browser.picture(PICTURES.resolve("question.png"));
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
    void showsThousandsOfKeyGroups() throws Exception {
        open(cluster, large);
        assertThat(browser.all(".cell")).hasSize(2_048);
        browser.tabTo("div: Key-group 0:");
        browser.pressWithControl(Keys.END);
        assertThat(browser.focused()).startsWith("div: Key-group 2047:");
        browser.all("input[name=parallelism]").get(0).sendKeys("5");
        await("four plans", () -> browser.all("canvas.picture").size() == 4);
        browser.picture(PICTURES.resolve("thousand.png"));
        assertThatNothingIsAmiss(cluster);
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
            browser.picture(PICTURES.resolve("slots.png"));
            small.startTaskManager();
            await("the end", () -> browser.texts(OUTCOMES).contains("finished"));
            assertThatNothingIsAmiss(small);
            assertExact(others);
        }
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
            browser.picture(PICTURES.resolve("read-only.png"));
            assertThatNothingIsAmiss(readOnly);
        }
    }
}
