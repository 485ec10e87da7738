// SPDX-License-Identifier: Apache-2.0
package io.meces.state;

/** A keyed state backend whose units can be moved. Owned by the task thread. */
public interface ElasticKeyedStateBackend {

    /** The units of this backend; always the same object. Task thread. */
    UnitStore units();

    /** The key that is processed; always the same object. Task thread. */
    UnitKeyContext<?> keyContext();
}
