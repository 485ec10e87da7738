// SPDX-License-Identifier: Apache-2.0
package org.apache.beam.runners.flink.translation.wrappers.streaming;

import org.apache.flink.streaming.api.operators.StreamMap;

/** Stands for that of Apache Beam, which is not on the class path, in a form that is not known. */
public final class DoFnOperator extends StreamMap<Long, Long> {
    private static final long serialVersionUID = 1L;

    public DoFnOperator() {
        super(n -> n);
    }
}
