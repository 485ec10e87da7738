// SPDX-License-Identifier: Apache-2.0
package io.meces.core.rescale;

import io.meces.api.AbortMode;
import io.meces.api.Elasticity;
import io.meces.api.KeyGroups;
import io.meces.api.RescaleAccepted;
import io.meces.api.RescaleDetails;
import io.meces.api.RescalePlans;
import io.meces.api.RescaleRefusedException;
import io.meces.api.RescaleRequest;
import io.meces.api.Rescales;
import io.meces.api.ResourceRequirements;
import java.util.ArrayList;
import java.util.concurrent.CompletableFuture;

/**
 * What can be asked of the rescale controller of a job. A refusal is a {@link
 * RescaleRefusedException}, thrown or in the future, and has changed nothing.
 */
public interface RescaleService {

    /** What can be rescaled in the job, and how it stands. */
    Elasticity elasticity();

    /** The ids of the vertices that cannot be rescaled, in hex. */
    ArrayList<String> fixedVertices();

    /** The key-groups of a vertex, by its id; {@code NOT_FOUND} if there is none of that id. */
    CompletableFuture<KeyGroups> keyGroups(String vertexId) throws RescaleRefusedException;

    /** Begins a rescale; for requests that are not dry runs. */
    CompletableFuture<RescaleAccepted> rescale(RescaleRequest request)
            throws RescaleRefusedException;

    /** What a rescale would do; for dry runs. */
    CompletableFuture<RescalePlans> plan(RescaleRequest request) throws RescaleRefusedException;

    /**
     * Between which parallelisms the elastic vertices are to run (FLIP-291). Where nothing has been
     * required, the upper bound is the present parallelism.
     */
    ResourceRequirements requirements();

    /**
     * Between which parallelisms some vertices are to run from now on. The newest win, and the same
     * again changes nothing. Rescales follow, as far as there are slots.
     */
    void require(ResourceRequirements requirements) throws RescaleRefusedException;

    /** All rescales that are remembered. */
    Rescales rescales();

    /** How one of them stands; {@code NOT_FOUND} if there is none of that id. */
    RescaleDetails rescale(String id) throws RescaleRefusedException;

    /**
     * Has one of them end early; how it stands then. {@code NOT_FOUND} if there is none of that id,
     * {@code CONFLICT} if it has ended or it is too late.
     */
    RescaleDetails abort(String id, AbortMode mode) throws RescaleRefusedException;
}
