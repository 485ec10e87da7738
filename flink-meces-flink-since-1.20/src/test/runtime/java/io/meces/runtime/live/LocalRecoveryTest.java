// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live;

/** With state on the heap. */
class LocalRecoveryTest extends LocalCopies {

    @Override
    String backend() {
        return "hashmap";
    }
}
