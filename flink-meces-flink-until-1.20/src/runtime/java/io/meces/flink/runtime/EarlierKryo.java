// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import java.util.Collections;
import java.util.List;
import org.apache.flink.runtime.checkpoint.CompletedCheckpoint;

/** What Kryo of an earlier line of Flink has written, which this one may read as other values. */
public final class EarlierKryo {

    private EarlierKryo() {}

    /** Nothing: until 1.20 they have the same Kryo. */
    public static List<String> wrote(CompletedCheckpoint checkpoint, ClassLoader userCode) {
        return Collections.emptyList();
    }
}
