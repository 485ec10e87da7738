// SPDX-License-Identifier: Apache-2.0
/** Mechanisms of rescaling side by side. */
package io.meces.experiments.bench;
