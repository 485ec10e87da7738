// SPDX-License-Identifier: Apache-2.0
/** A cluster in the own process, for tests of jobs that are rescaled. */
package io.meces.runtime.testing;
