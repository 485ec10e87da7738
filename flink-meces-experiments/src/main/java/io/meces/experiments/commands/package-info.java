// SPDX-License-Identifier: Apache-2.0
/** The commands of this module. */
package io.meces.experiments.commands;
