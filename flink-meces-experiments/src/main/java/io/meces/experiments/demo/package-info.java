// SPDX-License-Identifier: Apache-2.0
/** The demos. */
package io.meces.experiments.demo;
