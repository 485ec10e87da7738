// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.entrypoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.flink.runtime.entrypoint.FlinkParseException;
import org.apache.flink.runtime.entrypoint.parser.CommandLineParser;
import org.junit.jupiter.api.Test;

/** The arguments of Flink's standalone-job.sh, and those of the application behind them. */
class StandaloneApplicationArgumentsTest {

    private static final String ID = "0123456789abcdef0123456789abcdef";

    @Test
    void tellsOptionsFromWhatIsTheApplications() throws Exception {
        StandaloneApplicationArguments arguments =
                parse(
                        "--configDir",
                        "conf",
                        "-Drest.port=8082",
                        "--job-classname",
                        "a.Job",
                        "--job-id",
                        ID,
                        "--fromSavepoint",
                        "file:/s",
                        "--allowNonRestoredState",
                        "input",
                        "-x",
                        "--job-id",
                        "mine");

        assertThat(arguments.getConfigDir()).isEqualTo("conf");
        assertThat(arguments.getDynamicProperties()).containsEntry("rest.port", "8082");
        assertThat(arguments.jobClassName).isEqualTo("a.Job");
        assertThat(arguments.jobId).hasToString(ID);
        assertThat(arguments.savepoint.getRestorePath()).isEqualTo("file:/s");
        assertThat(arguments.savepoint.allowNonRestoredState()).isTrue();
        assertThat(arguments.getArgs()).containsExactly("input", "-x", "--job-id", "mine");
    }

    @Test
    void needsNothingButTheConfiguration() throws Exception {
        StandaloneApplicationArguments arguments = parse("--configDir", "conf");

        assertThat(arguments.jobClassName).isNull();
        assertThat(arguments.jobId).isNull();
        assertThat(arguments.savepoint.restoreSavepoint()).isFalse();
        assertThat(arguments.getArgs()).isEmpty();
    }

    @Test
    void refusesAnIdThatIsNone() {
        assertThatThrownBy(() -> parse("--configDir", "conf", "--job-id", "4711"))
                .isInstanceOf(FlinkParseException.class)
                .hasMessageContaining("--job-id is '4711', but must be 32 hexadecimal digits");
    }

    private static StandaloneApplicationArguments parse(String... arguments)
            throws FlinkParseException {
        return new CommandLineParser<>(new StandaloneApplicationArguments.Parser())
                .parse(arguments);
    }
}
