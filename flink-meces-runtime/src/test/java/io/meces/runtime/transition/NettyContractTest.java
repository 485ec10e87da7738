// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.transition;

import java.net.InetAddress;

/** The contract over TCP. */
class NettyContractTest extends TransitionServiceContract {

    @Override
    protected TransitionService create(TransitionMetrics metrics) throws Exception {
        return new NettyTransitionService(InetAddress.getLoopbackAddress(), 0, metrics);
    }
}
