// SPDX-License-Identifier: Apache-2.0
/** The commands of {@code meces} that start processes or jobs of ours. */
package io.meces.experiments.commands;
