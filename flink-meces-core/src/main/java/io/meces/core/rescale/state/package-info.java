// SPDX-License-Identifier: Apache-2.0
/**
 * The states of the rescale of a vertex, each a {@link io.meces.core.rescale.state.State}: what is
 * done there, and what is waited for. What comes next is the business of {@code VertexRescale}.
 * Owned by the JobMaster's main thread.
 */
package io.meces.core.rescale.state;
