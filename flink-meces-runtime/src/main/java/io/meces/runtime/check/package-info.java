// SPDX-License-Identifier: Apache-2.0
/** Verifies, before anything runs, that this Flink is one that flink-meces fits. */
package io.meces.runtime.check;
