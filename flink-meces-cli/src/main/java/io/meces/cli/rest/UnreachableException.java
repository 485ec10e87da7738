// SPDX-License-Identifier: Apache-2.0
package io.meces.cli.rest;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.ProtocolException;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.security.cert.CertificateException;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLPeerUnverifiedException;

/** No JobManager has answered at its address, or what answered was cut off, or is none. */
public final class UnreachableException extends IOException {
    private static final long serialVersionUID = 1L;

    private static final String CLIENT_CERTIFICATE =
            ". If it wants a certificate of the client, give one that it trusts by --cert FILE and"
                    + " --key FILE, or by security.ssl.rest.authentication-enabled and"
                    + " security.ssl.rest.keystore in Flink's configuration.";

    /**
     * Says what is wrong, and what can be done.
     *
     * @param where the address, and who says so
     * @param tls whether it was to be reached by TLS
     */
    UnreachableException(String where, boolean tls, IOException cause) {
        super("The JobManager at " + where + " cannot be reached: " + reason(tls, cause), cause);
    }

    UnreachableException(String where, String reason) {
        super("The JobManager at " + where + " cannot be reached: " + reason);
    }

    private static String reason(boolean tls, IOException failure) {
        if (failure instanceof UnknownHostException) {
            return "there is no host of that name.";
        }
        if (failure instanceof NoRouteToHostException) {
            return "there is no way to that host (" + failure.getMessage() + ").";
        }
        if (failure instanceof ConnectException) {
            return failure.getMessage() + ". Does it run, and is that the port (rest.port)?";
        }
        if (failure instanceof InterruptedIOException) {
            return "it does not answer in time ("
                    + failure.getMessage()
                    + ")."
                    + (tls ? " Does it speak TLS?" : "");
        }
        if (failure instanceof SSLPeerUnverifiedException) {
            // OkHttp's message has the certificate behind its first line
            return failure.getMessage().split("\\R")[0]
                    + ". Use a name that is in its certificate.";
        }
        if (failure instanceof SSLException) {
            return ofTls((SSLException) failure);
        }
        boolean cutOff =
                String.valueOf(failure.getMessage()).startsWith("unexpected end of stream");
        if (tls && (failure instanceof SocketException || cutOff)) {
            // by TLS 1.3 a client is refused only after the handshake, and may miss the alert
            return failure.getMessage() + CLIENT_CERTIFICATE;
        }
        if (failure instanceof ProtocolException || cutOff) {
            return failure.getMessage() + ". Does it want TLS? Then use https://HOST:PORT.";
        }
        return failure.getMessage() == null ? failure.toString() : failure.getMessage();
    }

    private static String ofTls(SSLException failure) {
        String message = String.valueOf(failure.getMessage());
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof CertificateException) {
                return "its certificate is not trusted: "
                        + cause.getMessage()
                        + ". Give that of its CA by --cacert FILE, or by"
                        + " security.ssl.rest.truststore in Flink's configuration.";
            }
        }
        if (message.contains("Unsupported or unrecognized SSL message")
                || message.contains("plaintext connection")) {
            return "it does not speak TLS. Use HOST:PORT without https://, and without"
                    + " security.ssl.rest.enabled in Flink's configuration.";
        }
        // by TLS 1.3 or 1.2, and by the server's implementation
        if (message.contains("certificate_required")
                || message.contains("bad_certificate")
                || message.contains("certificate_unknown")
                || message.contains("handshake_failure")
                || message.contains("unknown_ca")) {
            return "TLS fails (" + message + ")" + CLIENT_CERTIFICATE;
        }
        return "TLS fails: " + message;
    }
}
