// SPDX-License-Identifier: Apache-2.0
/** A job that counts as fast as it can. */
package io.meces.examples.saturation;
