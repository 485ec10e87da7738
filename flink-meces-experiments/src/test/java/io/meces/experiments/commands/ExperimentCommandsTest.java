// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.commands;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.cli.MecesCommand;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** {@code meces} has the commands of this module, and they refuse what makes no sense. */
class ExperimentCommandsTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @ParameterizedTest
    @ValueSource(
            strings = {
                "demo",
                "bench",
                "demo key-count --rate 0",
                "demo key-count --seconds 5",
                "demo key-count --distribution normal",
                "demo key-count --rescale 3,0",
                "demo key-count --key-type blob",
                "demo autoscaler --seconds 10",
                "demo autoscaler --slots 3",
                "demo autoscaler --low 10 --high 5",
                "autoscale --interval 0",
                "bench",
                "bench saturation --repeats 0",
                "bench saturation --seconds 0",
                "bench saturation --warm-up -1",
                "bench saturation --keys 0",
                "bench key-count --mechanisms magic",
                "bench key-count --scenario holiday",
                "bench key-count --from 3 --to 2",
                "bench key-count --keys 0",
                "bench key-count --cluster meces",
                "bench key-count --cluster meces=jobmanager:8081",
                "bench key-count --bootstrap-servers kafka:9092",
                "bench nexmark --cluster native=jobmanager:8081 --bootstrap-servers kafka:9092",
                "bench nexmark --queries Q9",
                "bench nexmark --scenario back-pressure"
            })
    void aWrongCommandLineIsExitCode2(String line) {
        assertThat(execute(line)).isEqualTo(2);
        assertThat(err.toString()).isNotEmpty().doesNotContain("Unmatched argument");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "soak --help",
                "demo key-count -h",
                "demo autoscaler --help",
                "autoscale --help",
                "bench saturation -h",
                "bench key-count --help",
                "bench nexmark --help"
            })
    void helpIsExitCode0(String line) {
        assertThat(execute(line)).isZero();
        assertThat(out.toString()).isNotEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "demo key-count --report FILE/reports/report.json, --report",
        "demo autoscaler --report FILE/reports/report.json, --report",
        "bench key-count --output FILE/reports, --output",
        "bench saturation --report FILE/reports/report.json, --report",
        "soak --report FILE/reports/report.json, --report"
    })
    void aReportThatCannotBeWrittenIsToldBeforeAnythingStarts(
            String line, String option, @TempDir Path directory) throws IOException {
        // root could write to any directory, but not below a file
        Path file = Files.createFile(directory.resolve("file"));

        assertThat(execute(line.replace("FILE", file.toString()))).isEqualTo(1);

        assertThat(err.toString())
                .contains("The report cannot be written to " + file + "/reports")
                .contains("name another place with " + option);
    }

    @Test
    void allOptionsAreDescribed() {
        assertThat(undescribed(MecesCommand.commandLine())).isEmpty();
    }

    @Test
    void aDistributionOffersNothingThatItHasNot(@TempDir Path distribution) throws IOException {
        Files.createDirectory(distribution.resolve("cli"));
        String before = System.setProperty("meces.home", distribution.toString());
        try {
            CommandLine meces = MecesCommand.commandLine();
            assertThat(meces.getSubcommands()).containsKey("demo").doesNotContainKey("autoscale");
            assertThat(meces.getSubcommands().get("demo").getSubcommands())
                    .containsKey("key-count")
                    .doesNotContainKey("autoscaler");
        } finally {
            if (before == null) {
                System.clearProperty("meces.home");
            } else {
                System.setProperty("meces.home", before);
            }
        }
        assertThat(MecesCommand.commandLine().getSubcommands()).containsKey("autoscale");
    }

    private static List<String> undescribed(CommandLine command) {
        List<String> names = new ArrayList<>();
        command.getCommandSpec().options().stream()
                .filter(option -> option.description().length == 0)
                .forEach(option -> names.add(command.getCommandName() + option.longestName()));
        command.getSubcommands().values().forEach(sub -> names.addAll(undescribed(sub)));
        return names;
    }

    private int execute(String line) {
        CommandLine commandLine = MecesCommand.commandLine();
        commandLine.setOut(new PrintWriter(out, true));
        commandLine.setErr(new PrintWriter(err, true));
        return commandLine.execute(line.split(" "));
    }
}
