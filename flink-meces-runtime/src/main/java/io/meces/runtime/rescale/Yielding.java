/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
 * in compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License
 * is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
 * or implied. See the License for the specific language governing permissions and limitations under
 * the License.
 */

package io.meces.runtime.rescale;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/**
 * Between two steps: the watermark goes first that is about to have timers fire. In the step it
 * would have to wait.
 */
final class Yielding extends Station {

    private final Duration limit;
    private final BooleanSupplier passed;
    private final Runnable then;

    /**
     * @param limit for how long at most
     * @param passed whether the watermark has come
     */
    Yielding(VertexRescale rescale, Duration limit, BooleanSupplier passed, Runnable then) {
        super(rescale);
        this.limit = limit;
        this.passed = passed;
        this.then = then;
    }

    @Override
    boolean isBetweenSteps() {
        return true;
    }

    @Override
    void enter() {
        within(limit, then);
        rescale.level();
        onLevelled();
    }

    @Override
    void onLevelled() {
        if (passed.getAsBoolean()) {
            then.run();
        }
    }
}
