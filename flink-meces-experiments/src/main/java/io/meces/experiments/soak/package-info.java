// SPDX-License-Identifier: Apache-2.0
/** A job under load that is rescaled and killed at random. */
package io.meces.experiments.soak;
