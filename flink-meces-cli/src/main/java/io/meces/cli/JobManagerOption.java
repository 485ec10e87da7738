// SPDX-License-Identifier: Apache-2.0
package io.meces.cli;

import io.meces.cli.rest.ClientTls;
import io.meces.cli.rest.Credentials;
import io.meces.cli.rest.FlinkConfiguration;
import io.meces.cli.rest.JobManagerAddress;
import io.meces.cli.rest.JobManagerClient;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import javax.annotation.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Which JobManager to talk to, and how. */
final class JobManagerOption {
    static final String USER = "MECES_REST_USER";
    static final String PASSWORD = "MECES_REST_PASSWORD";
    private static final String DEFAULT = "127.0.0.1:8081";

    private final Map<String, String> environment;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Nullable
    @Option(
            names = "--jobmanager",
            paramLabel = "ADDRESS",
            description =
                    "HOST:PORT or a URL. Default: as Flink's configuration says, or "
                            + DEFAULT
                            + ".")
    private String address;

    @Nullable
    @Option(
            names = "--cacert",
            paramLabel = "FILE",
            description = "Trust the certificates in this file (PEM) alone.")
    private Path trusted;

    @Nullable
    @Option(
            names = "--cert",
            paramLabel = "FILE",
            description = "Show this certificate (PEM); needs --key.")
    private Path certificate;

    @Nullable
    @Option(
            names = "--key",
            paramLabel = "FILE",
            description = "The key of the certificate (PEM, PKCS #8).")
    private Path key;

    @Nullable
    @Option(
            names = "--credentials",
            paramLabel = "FILE",
            description =
                    "A file with USER:PASSWORD, for a proxy. Default: "
                            + USER
                            + ", "
                            + PASSWORD
                            + ".")
    private Path credentials;

    JobManagerOption() {
        this(System.getenv());
    }

    /**
     * With another environment.
     *
     * @param environment its variables
     */
    JobManagerOption(Map<String, String> environment) {
        this.environment = environment;
    }

    /**
     * A client for what is given.
     *
     * @throws ParameterException with a message for the user
     * @throws IOException if a file that is named cannot be used
     */
    JobManagerClient client() throws IOException {
        FlinkConfiguration flink = FlinkConfiguration.find(environment);
        String configured = flink.restAddress();
        JobManagerAddress parsed;
        String source = "";
        if (address != null) {
            parsed = parse("--jobmanager", address, flink);
        } else if (configured != null) {
            source = " (by " + flink.file() + ")";
            parsed = parse(flink.file().toString(), configured, flink);
        } else {
            parsed = parse("--jobmanager", DEFAULT, flink);
        }
        return new JobManagerClient(parsed, source, tls(parsed, flink), who(parsed));
    }

    private JobManagerAddress parse(String of, String text, FlinkConfiguration flink) {
        try {
            return JobManagerAddress.parse(
                    text, flink.isRestTls() || trusted != null || certificate != null);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), of + ": " + e.getMessage(), e);
        }
    }

    private ClientTls tls(JobManagerAddress of, FlinkConfiguration flink) throws IOException {
        if ((certificate == null) != (key == null)) {
            throw new ParameterException(spec.commandLine(), "--cert and --key go together.");
        }
        if (!of.isTls()) {
            if (trusted != null || certificate != null) {
                throw new ParameterException(
                        spec.commandLine(),
                        "--cacert and --cert are for TLS: they need https:// in --jobmanager.");
            }
            return new ClientTls();
        }
        ClientTls tls = flink.isRestTls() ? flink.restTls() : new ClientTls();
        if (trusted != null) {
            tls.trustPem(trusted);
        }
        if (certificate != null) {
            tls.showPem(certificate, key);
        }
        if (flink.isRestTls() && !flink.verifiesHostname()) {
            warn("The name in the certificate is not verified, as " + flink.file() + " says.");
        }
        return tls;
    }

    @Nullable
    private Credentials who(JobManagerAddress of) throws IOException {
        Credentials who;
        if (credentials != null) {
            who = Credentials.read(credentials);
        } else {
            String user = environment.get(USER);
            String password = environment.get(PASSWORD);
            if ((user == null) != (password == null)) {
                throw new ParameterException(
                        spec.commandLine(), USER + " and " + PASSWORD + " go together.");
            }
            who = user == null ? null : of(user, password);
        }
        if (who != null && !of.isTls() && !of.isLoopback()) {
            warn("User and password go to " + of + " in clear text: it is not reached by TLS.");
        }
        return who;
    }

    private Credentials of(String user, String password) {
        try {
            return Credentials.of(user, password);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), USER + ": " + e.getMessage(), e);
        }
    }

    private void warn(String text) {
        spec.commandLine().getErr().println("Warning: " + text);
        spec.commandLine().getErr().flush();
    }
}
