// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.transition;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.IOException;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Has Jazzer, a fuzzer that is led by coverage, try a million inputs for each reader of bytes of
 * others. Not part of an ordinary build, as Jazzer instruments the whole JVM, but run by
 *
 * <pre>
 * for target in Pipeline Codec Chunks; do
 *   JAZZER_FUZZ=1 mvn -pl flink-meces-runtime -am test -Dsurefire.failIfNoSpecifiedTests=false \
 *       -Dtest="MalformedInputFuzz#nothingIsFoundIn$target"
 * done
 * </pre>
 *
 * <p>One at a time, as Jazzer fuzzes one test in a run.
 */
class MalformedInputFuzz {

    @MethodSource("streams")
    @FuzzTest(maxExecutions = 1_000_000, maxDuration = "60m")
    void nothingIsFoundInPipeline(byte[] stream) {
        MalformedInput.feedPipeline(stream);
    }

    @MethodSource("messages")
    @FuzzTest(maxExecutions = 1_000_000, maxDuration = "60m")
    void nothingIsFoundInCodec(byte[] message) {
        MalformedInput.feedCodec(message);
    }

    @MethodSource("chunks")
    @FuzzTest(maxExecutions = 1_000_000, maxDuration = "60m")
    void nothingIsFoundInChunks(byte[] chunk) {
        MalformedInput.feedChunk(chunk);
    }

    static Stream<byte[]> streams() throws IOException {
        return MalformedInput.streams().stream();
    }

    static Stream<byte[]> messages() {
        return MalformedInput.messages().stream();
    }

    static Stream<byte[]> chunks() throws IOException {
        return MalformedInput.chunks().stream();
    }
}
