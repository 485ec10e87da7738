// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.transition;

/** Takes messages for one task. Called by any thread; must not block. */
@FunctionalInterface
public interface TransitionInbox {

    void onMessage(TransitionMessage message);
}
