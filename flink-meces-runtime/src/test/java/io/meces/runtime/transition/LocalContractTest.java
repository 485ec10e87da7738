// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.transition;

import io.meces.core.exchange.TransitionAddress;

/** The contract within one TaskManager. */
class LocalContractTest extends TransitionServiceContract {

    private TransitionService service;

    @Override
    protected TransitionService create(TransitionMetrics metrics) {
        if (service == null) {
            service = new LocalTransitionService(new TransitionAddress("127.0.0.1", 1), metrics);
        }
        return service;
    }
}
