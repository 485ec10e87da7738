// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.page;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Assumptions;
import org.openqa.selenium.By;
import org.openqa.selenium.Dimension;
import org.openqa.selenium.Keys;
import org.openqa.selenium.StaleElementReferenceException;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.interactions.Actions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

/**
 * A headless Chromium of Debian, which is installed where it is missing and can be. Not
 * thread-safe.
 */
final class Chromium implements AutoCloseable {

    private static final Path BROWSER = Paths.get("/usr/bin/chromium");
    private static final Path DRIVER = Paths.get("/usr/bin/chromedriver");
    private static final String INSTALL =
            "apt-get -q -o DPkg::Lock::Timeout=120 update && DEBIAN_FRONTEND=noninteractive apt-get"
                    + " -q -y -o DPkg::Lock::Timeout=120 install --no-install-recommends chromium"
                    + " chromium-driver fonts-dejavu-core";

    private final ChromeDriver driver;

    private Chromium(ChromeDriver driver) {
        this.driver = driver;
    }

    /**
     * Starts one with an empty profile.
     *
     * @throws org.opentest4j.TestAbortedException if there is none, with the reason
     */
    static Chromium start(Path profile) throws Exception {
        if (!Files.isExecutable(BROWSER) || !Files.isExecutable(DRIVER)) {
            install();
        }
        ChromeOptions options = new ChromeOptions();
        options.setBinary(BROWSER.toString());
        options.addArguments(
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-quic",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--lang=en-US",
                "--window-size=1280,900",
                "--user-data-dir=" + profile);
        LoggingPreferences logs = new LoggingPreferences();
        logs.enable(LogType.BROWSER, Level.ALL);
        logs.enable(LogType.PERFORMANCE, Level.ALL);
        options.setCapability("goog:loggingPrefs", logs);
        return new Chromium(
                new ChromeDriver(
                        new ChromeDriverService.Builder()
                                .usingDriverExecutable(DRIVER.toFile())
                                .usingAnyFreePort()
                                .build(),
                        options));
    }

    private static void install() throws IOException, InterruptedException {
        Assumptions.assumeTrue(
                Files.isExecutable(Paths.get("/usr/bin/apt-get"))
                        && "root".equals(System.getProperty("user.name")),
                "There is no Chromium in /usr/bin, and it can be installed on Debian by root only.");
        File log = File.createTempFile("chromium", ".log");
        Process process =
                new ProcessBuilder("sh", "-c", INSTALL)
                        .redirectErrorStream(true)
                        .redirectOutput(log)
                        .start();
        boolean ended = process.waitFor(5, TimeUnit.MINUTES);
        if (!ended) {
            process.destroyForcibly();
        }
        Assumptions.assumeTrue(
                ended && Files.isExecutable(BROWSER) && Files.isExecutable(DRIVER),
                "Chromium cannot be installed; see " + log);
    }

    void open(String address) {
        driver.get(address);
    }

    void reload() {
        driver.navigate().refresh();
    }

    Object script(String script, Object... arguments) {
        return driver.executeScript(script, arguments);
    }

    /** All elements that a CSS selector finds. */
    List<WebElement> all(String selector) {
        return driver.findElements(By.cssSelector(selector));
    }

    /** The text of all elements that a CSS selector finds, as it can be seen. */
    List<String> texts(String selector) {
        return ((List<?>)
                        script(
                                "return [...document.querySelectorAll(arguments[0])]"
                                        + ".map(e => e.innerText.trim())",
                                selector))
                .stream().map(String::valueOf).collect(Collectors.toList());
    }

    void press(CharSequence... keys) {
        for (CharSequence key : keys) {
            new Actions(driver).sendKeys(key).perform();
        }
    }

    void pressWithControl(CharSequence key) {
        new Actions(driver).keyDown(Keys.CONTROL).sendKeys(key).keyUp(Keys.CONTROL).perform();
    }

    /** Clicks on an element with a text; whether it is there and enabled. */
    boolean click(String selector, String text) {
        try {
            for (WebElement element : all(selector)) {
                if (element.getText().equals(text) && element.isEnabled()) {
                    // else it may end up below the header
                    script("arguments[0].scrollIntoView({block: 'center'})", element);
                    element.click();
                    return true;
                }
            }
        } catch (StaleElementReferenceException e) {
            // it has changed meanwhile
        }
        return false;
    }

    /** What has the focus, as "name of the element: name or text". */
    String focused() {
        return (String)
                script(
                        "const e = document.activeElement; return e.tagName.toLowerCase() + ': '"
                                + " + (e.name || e.getAttribute('aria-label') || e.innerText)");
    }

    /** Presses Tab until something has the focus; at each stop it must be seen. */
    void tabTo(String expected) {
        for (int stop = 0; stop < 60; stop++) {
            press(Keys.TAB);
            if (!focused().startsWith("body")
                    && !(boolean)
                            script("return document.activeElement.matches(':focus-visible')")) {
                throw new AssertionError("The focus cannot be seen at " + focused());
            }
            if (focused().startsWith(expected)) {
                return;
            }
        }
        throw new AssertionError("Tab does not lead to " + expected);
    }

    void dark(boolean dark) {
        driver.executeCdpCommand(
                "Emulation.setEmulatedMedia",
                Collections.singletonMap(
                        "features",
                        Collections.singletonList(
                                map(
                                        "name",
                                        "prefers-color-scheme",
                                        "value",
                                        dark ? "dark" : "light"))));
    }

    /** The width of the window, in pixels. */
    void width(int pixels) {
        driver.manage().window().setSize(new Dimension(pixels, 900));
    }

    /** Takes a picture of the whole page. */
    void picture(Path file) throws IOException {
        script("window.scrollTo(0, 0)");
        List<?> size =
                (List<?>)
                        script(
                                "return [document.documentElement.clientWidth,"
                                        + " document.documentElement.scrollHeight]");
        Map<String, Object> answer =
                driver.executeCdpCommand(
                        "Page.captureScreenshot",
                        map(
                                "format",
                                "png",
                                "captureBeyondViewport",
                                true,
                                "clip",
                                map(
                                        "x",
                                        0,
                                        "y",
                                        0,
                                        "width",
                                        size.get(0),
                                        "height",
                                        size.get(1),
                                        "scale",
                                        1)));
        Files.createDirectories(file.getParent());
        Files.write(file, Base64.getDecoder().decode((String) answer.get("data")));
    }

    private static Map<String, Object> map(Object... keysAndValues) {
        Map<String, Object> map = new HashMap<>();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            map.put((String) keysAndValues[i], keysAndValues[i + 1]);
        }
        return map;
    }

    /** What was written to the console since the last call, errors of scripts and requests too. */
    List<String> console() {
        return driver.manage().logs().get(LogType.BROWSER).getAll().stream()
                .map(LogEntry::getMessage)
                .collect(Collectors.toList());
    }

    /** The addresses that were asked for since the last call. */
    List<String> requests() {
        return driver.manage().logs().get(LogType.PERFORMANCE).getAll().stream()
                .map(LogEntry::getMessage)
                .filter(message -> message.contains("\"Network.requestWillBeSent\""))
                .map(
                        message ->
                                message.replaceAll(
                                        "(?s).*?\"request\":\\{.*?\"url\":\"([^\"]*)\".*", "$1"))
                .collect(Collectors.toList());
    }

    @Override
    public void close() {
        driver.quit();
    }

    /** For messages of tests. */
    @Override
    public String toString() {
        return Arrays.toString(texts("body").toArray());
    }
}
