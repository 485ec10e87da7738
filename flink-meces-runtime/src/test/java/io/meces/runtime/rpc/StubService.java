// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.rpc;

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
import io.meces.core.rescale.RescaleService;
import java.util.ArrayList;
import java.util.concurrent.CompletableFuture;

/** A controller that answers nothing but what a test has it answer. */
public class StubService implements RescaleService {

    @Override
    public Elasticity elasticity() {
        throw new AssertionError("asked for the elasticity");
    }

    @Override
    public ArrayList<String> fixedVertices() {
        throw new AssertionError("asked for vertices that cannot be rescaled");
    }

    @Override
    public CompletableFuture<KeyGroups> keyGroups(String vertexId) {
        throw new AssertionError("asked for the key-groups of " + vertexId);
    }

    @Override
    public CompletableFuture<RescaleAccepted> rescale(RescaleRequest request)
            throws RescaleRefusedException {
        throw new AssertionError("asked for a rescale");
    }

    @Override
    public CompletableFuture<RescalePlans> plan(RescaleRequest request) {
        throw new AssertionError("asked for a plan");
    }

    @Override
    public ResourceRequirements requirements() {
        throw new AssertionError("asked for the requirements");
    }

    @Override
    public void require(ResourceRequirements requirements) throws RescaleRefusedException {
        throw new AssertionError("asked to require " + requirements);
    }

    @Override
    public Rescales rescales() {
        throw new AssertionError("asked for all rescales");
    }

    @Override
    public RescaleDetails rescale(String id) throws RescaleRefusedException {
        throw new AssertionError("asked for rescale " + id);
    }

    @Override
    public RescaleDetails abort(String id, AbortMode mode) {
        throw new AssertionError("asked to abort rescale " + id);
    }
}
