// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.transition;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.concurrent.TimeUnit;

/** A key and its certificate, signed by itself, for TLS in tests: for localhost. */
public final class TestKeys {

    public static final String PASSWORD = "changeit";

    private final String name;
    private final Path store;

    private TestKeys(String name, Path store) {
        this.name = name;
        this.store = store;
    }

    /** Makes a key; its files go to the directory. */
    public static TestKeys make(Path directory, String name) throws Exception {
        Path store = directory.resolve(name + ".keys");
        Process keytool =
                new ProcessBuilder(
                                Paths.get(System.getProperty("java.home"), "bin", "keytool")
                                        .toString(),
                                "-genkeypair",
                                "-alias",
                                name,
                                "-dname",
                                "CN=" + name,
                                "-ext",
                                "SAN=ip:127.0.0.1,dns:localhost",
                                "-keyalg",
                                "RSA",
                                "-keysize",
                                "2048",
                                "-storetype",
                                KeyStore.getDefaultType(),
                                "-keystore",
                                store.toString(),
                                "-storepass",
                                PASSWORD,
                                "-keypass",
                                PASSWORD)
                        .redirectErrorStream(true)
                        .redirectOutput(directory.resolve(name + ".log").toFile())
                        .start();
        assertThat(keytool.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(keytool.exitValue()).isZero();
        return new TestKeys(name, store);
    }

    /** Keystore and truststore in one, of the type that this Java has by default. */
    public Path store() {
        return store;
    }

    /** The certificate in PEM. */
    public Path certificate() throws GeneralSecurityException, IOException {
        return write("crt", "CERTIFICATE", load().getCertificate(name).getEncoded());
    }

    /** The private key in PEM. */
    public Path key() throws GeneralSecurityException, IOException {
        return write(
                "key", "PRIVATE KEY", load().getKey(name, PASSWORD.toCharArray()).getEncoded());
    }

    private KeyStore load() throws GeneralSecurityException, IOException {
        KeyStore keys = KeyStore.getInstance(KeyStore.getDefaultType());
        try (InputStream in = Files.newInputStream(store)) {
            keys.load(in, PASSWORD.toCharArray());
        }
        return keys;
    }

    private Path write(String end, String what, byte[] der) throws IOException {
        String pem =
                "-----BEGIN "
                        + what
                        + "-----\n"
                        + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der)
                        + "\n-----END "
                        + what
                        + "-----\n";
        return Files.write(
                store.resolveSibling(name + "." + end), pem.getBytes(StandardCharsets.US_ASCII));
    }
}
