// SPDX-License-Identifier: Apache-2.0
/**
 * What the protocol asks of movable state: {@link io.meces.core.store.UnitState} takes units out
 * and puts them in, {@link io.meces.core.store.DeferredData} is data that follows its unit. A unit
 * on the heap has all with it; that of a state on disk is followed by its data.
 */
package io.meces.core.store;
