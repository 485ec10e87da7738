// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** {@link FinishedVertex}: it is asked often, and looks seldom. */
class FinishedVertexTest {

    private String finished;
    private int looks;
    private final FinishedVertex vertex = new FinishedVertex(this::look);

    private String look() {
        looks++;
        return finished;
    }

    @Test
    void noOneLooksAtTheSubtasksToTellThatNoneHasFinished() {
        assertThat(vertex.name()).isNull();
        vertex.onReset();
        assertThat(vertex.name()).isNull();
        assertThat(looks).isZero();
    }

    @Test
    void oneThatHasFinishedIsKnownUntilItBeginsAnew() {
        finished = "source";
        vertex.onFinished("source");
        vertex.onFinished("map");
        assertThat(vertex.name()).isEqualTo("source");
        assertThat(looks).isZero();
        // of others
        vertex.onReset();
        assertThat(vertex.name()).isEqualTo("source");
        finished = null;
        vertex.onReset();
        assertThat(vertex.name()).isNull();
        vertex.onReset();
        assertThat(looks).isEqualTo(2);
    }
}
