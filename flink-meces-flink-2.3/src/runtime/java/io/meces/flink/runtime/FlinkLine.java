// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

/** The line of Flink for which all of this is compiled. */
public final class FlinkLine {

    public static final String NAME = "2.3";

    private FlinkLine() {}
}
