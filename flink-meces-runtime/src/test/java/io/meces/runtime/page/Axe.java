// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.page;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Scanner;
import java.util.stream.Collectors;

/**
 * Looks at a page as axe-core does: for what keeps people with a keyboard, a screen reader, or eyes
 * that see little, from using it. Not thread-safe.
 */
final class Axe {

    private static final String SCRIPT = "/axe.min.js";

    /**
     * Lines: what holds, of what a person would have to judge, and what is wrong, with elements.
     */
    private static final String RUN =
            "const lines = (kind, rules) => rules.map(rule => `${kind}: ${rule.impact}: ${rule.id}: "
                    + "${rule.help}: ` + (kind === 'passed' ? rule.nodes.length : rule.nodes.map("
                    + "node => `${node.html} ${node.failureSummary}`.replace(/\\s+/g, ' '))"
                    + ".join(' | ')));"
                    + "return axe.run(document).then(r => [...lines('violated', r.violations),"
                    + " ...lines('to judge', r.incomplete), ...lines('passed', r.passes)])";

    private final Chromium browser;
    private final String script;

    Axe(Chromium browser) throws IOException {
        this.browser = browser;
        try (InputStream file = Axe.class.getResourceAsStream(SCRIPT);
                Scanner text = new Scanner(file, StandardCharsets.UTF_8.name())) {
            script = text.useDelimiter("\\A").next();
        }
    }

    /**
     * What is serious or critical in the page as it is now, its best practices too.
     *
     * @param report to where all is written that axe says
     */
    List<String> findings(Path report) throws IOException {
        if (!(boolean) browser.script("return 'axe' in window")) {
            browser.script(script);
        }
        List<String> lines =
                ((List<?>) browser.script(RUN))
                        .stream().map(String::valueOf).collect(Collectors.toList());
        Files.write(report, lines);
        return lines.stream()
                .filter(line -> line.matches("violated: (serious|critical): .*"))
                .collect(Collectors.toList());
    }
}
