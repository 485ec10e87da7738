// SPDX-License-Identifier: Apache-2.0
/**
 * Between which parallelisms vertices are to run (FLIP-291), and which rescale follows of that:
 * pure logic, without clock and I/O.
 */
package io.meces.core.requirement;
