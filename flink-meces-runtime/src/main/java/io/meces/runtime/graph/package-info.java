// SPDX-License-Identifier: Apache-2.0
/** Makes the keyed vertices of a job graph elastic before it is scheduled. */
package io.meces.runtime.graph;
