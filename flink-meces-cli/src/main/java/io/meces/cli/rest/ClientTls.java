// SPDX-License-Identifier: Apache-2.0
package io.meces.cli.rest;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.MessageDigest;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collection;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.annotation.Nullable;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import okhttp3.OkHttpClient;

/**
 * Whom a client trusts, and how it proves who it is. Without anything it trusts whom Java trusts,
 * and has no certificate. The name in the server's certificate is verified, unless it is said that
 * it is not, or the certificate is known by its fingerprint.
 */
public final class ClientTls {
    private static final Pattern KEY =
            Pattern.compile(
                    "-----BEGIN PRIVATE KEY-----(.*?)-----END PRIVATE KEY-----", Pattern.DOTALL);
    private static final char[] IN_MEMORY = "in-memory".toCharArray();

    @Nullable private KeyStore trusted;
    @Nullable private Set<String> fingerprints;
    @Nullable private KeyStore own;
    private char[] ownKeyPassword = IN_MEMORY;
    private boolean verifiesHostname = true;

    /**
     * Trusts the certificates of a file in PEM, and those that they have signed, and no other: what
     * was trusted before is forgotten.
     */
    public ClientTls trustPem(Path file) throws IOException {
        try {
            KeyStore store = emptyStore();
            int i = 0;
            for (Certificate certificate : certificates(file)) {
                store.setCertificateEntry("trusted-" + i++, certificate);
            }
            trusted = store;
            fingerprints = null;
            return this;
        } catch (GeneralSecurityException e) {
            throw unreadable(file, e);
        }
    }

    /** Trusts the certificates of a truststore (JKS or PKCS12). */
    public ClientTls trustStore(Path file, String password) throws IOException {
        trusted = store(file, password);
        return this;
    }

    /**
     * Trusts a server whose certificate has one of these fingerprints (SHA-1, as Flink has it, or
     * SHA-256), and no other.
     */
    public ClientTls trustFingerprints(Collection<String> hexadecimal) {
        Set<String> digits = new HashSet<>();
        for (String fingerprint : hexadecimal) {
            String plain = fingerprint.trim().replace(":", "").toLowerCase(Locale.ROOT);
            if (!plain.matches("[0-9a-f]{40}|[0-9a-f]{64}")) {
                throw new IllegalArgumentException(
                        "A fingerprint has 40 (SHA-1) or 64 (SHA-256) hexadecimal digits, not as "
                                + fingerprint
                                + ".");
            }
            digits.add(plain);
        }
        fingerprints = digits;
        return this;
    }

    /** Shows a certificate, with those that have signed it behind it, and its key, both in PEM. */
    public ClientTls showPem(Path certificate, Path key) throws IOException {
        Certificate[] chain;
        try {
            chain = certificates(certificate).toArray(new Certificate[0]);
        } catch (GeneralSecurityException e) {
            throw unreadable(certificate, e);
        }
        try {
            KeyStore store = emptyStore();
            store.setKeyEntry(
                    "own", key(key, chain[0].getPublicKey().getAlgorithm()), IN_MEMORY, chain);
            own = store;
            ownKeyPassword = IN_MEMORY;
            return this;
        } catch (GeneralSecurityException e) {
            throw unreadable(key, e);
        }
    }

    /** Shows a certificate of a keystore (JKS or PKCS12). */
    public ClientTls showStore(Path file, String password, String keyPassword) throws IOException {
        own = store(file, password);
        ownKeyPassword = keyPassword.toCharArray();
        return this;
    }

    /** Whether the host's name has to be in the certificate. */
    public ClientTls verifyHostname(boolean verify) {
        verifiesHostname = verify;
        return this;
    }

    /** Has a client do all that. */
    void apply(OkHttpClient.Builder client) throws IOException {
        try {
            X509TrustManager trust = trustManager();
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keyManagers(), new TrustManager[] {trust}, null);
            SSLSocketFactory sockets = context.getSocketFactory();
            client.sslSocketFactory(sockets, trust);
            if (!verifiesHostname || fingerprints != null) {
                client.hostnameVerifier((host, session) -> true);
            }
        } catch (GeneralSecurityException e) {
            throw new IOException("TLS cannot be set up: " + e.getMessage(), e);
        }
    }

    private X509TrustManager trustManager() throws GeneralSecurityException {
        if (fingerprints != null) {
            return new ByFingerprint(fingerprints);
        }
        TrustManagerFactory factory =
                TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(trusted);
        return Arrays.stream(factory.getTrustManagers())
                .filter(X509TrustManager.class::isInstance)
                .map(X509TrustManager.class::cast)
                .findFirst()
                .orElseThrow(() -> new GeneralSecurityException("no trust manager for X.509"));
    }

    @Nullable
    private KeyManager[] keyManagers() throws GeneralSecurityException {
        if (own == null) {
            return null;
        }
        KeyManagerFactory factory =
                KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(own, ownKeyPassword);
        return factory.getKeyManagers();
    }

    private static KeyStore emptyStore() throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        return store;
    }

    private static KeyStore store(Path file, String password) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(in, password.toCharArray());
            return store;
        } catch (FileSystemException e) {
            throw unreadable(file, e);
        } catch (GeneralSecurityException | IOException e) {
            // a wrong password, mostly
            throw new IOException(
                    "The keystore " + file + " cannot be opened: " + e.getMessage(), e);
        }
    }

    private static Collection<? extends Certificate> certificates(Path file)
            throws IOException, CertificateException {
        Collection<? extends Certificate> certificates;
        try (InputStream in = new ByteArrayInputStream(bytes(file))) {
            certificates = CertificateFactory.getInstance("X.509").generateCertificates(in);
        }
        if (certificates.isEmpty()) {
            throw new CertificateException("there is no certificate in PEM in it");
        }
        return certificates;
    }

    private static PrivateKey key(Path file, String algorithm)
            throws IOException, GeneralSecurityException {
        Matcher pem = KEY.matcher(new String(bytes(file), StandardCharsets.US_ASCII));
        if (!pem.find()) {
            throw new InvalidKeySpecException(
                    "there is no private key of PKCS #8 in PEM in it, without a password. openssl"
                            + " pkcs8 -topk8 -nocrypt -in KEY -out NEW makes one");
        }
        byte[] der;
        try {
            der = Base64.getMimeDecoder().decode(pem.group(1));
        } catch (IllegalArgumentException e) {
            throw new InvalidKeySpecException("it is not in Base64", e);
        }
        return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(der));
    }

    private static byte[] bytes(Path file) throws IOException {
        try {
            return Files.readAllBytes(file);
        } catch (IOException e) {
            throw unreadable(file, e);
        }
    }

    private static IOException unreadable(Path file, Exception cause) {
        // of a file that is not there, the message is its name and the class says so
        String reason =
                cause instanceof NoSuchFileException
                        ? "there is no such file"
                        : cause instanceof AccessDeniedException
                                ? "access is denied"
                                : cause.getMessage();
        return new IOException("The file " + file + " cannot be used: " + reason + ".", cause);
    }

    /** Trusts a server by its certificate, whoever has signed that. */
    private static final class ByFingerprint implements X509TrustManager {
        private final Set<String> fingerprints;

        ByFingerprint(Set<String> fingerprints) {
            this.fingerprints = fingerprints;
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type)
                throws CertificateException {
            if (!fingerprints.contains(digest("SHA-1", chain[0]))
                    && !fingerprints.contains(digest("SHA-256", chain[0]))) {
                throw new CertificateException(
                        "the certificate with the fingerprint (SHA-1) "
                                + digest("SHA-1", chain[0])
                                + " is not the one that is expected");
            }
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type)
                throws CertificateException {
            throw new CertificateException("there are no clients here");
        }

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }

        private static String digest(String algorithm, X509Certificate certificate)
                throws CertificateException {
            try {
                StringBuilder digits = new StringBuilder();
                for (byte b :
                        MessageDigest.getInstance(algorithm).digest(certificate.getEncoded())) {
                    digits.append(String.format("%02x", b));
                }
                return digits.toString();
            } catch (GeneralSecurityException e) {
                throw new CertificateException(e);
            }
        }
    }
}
