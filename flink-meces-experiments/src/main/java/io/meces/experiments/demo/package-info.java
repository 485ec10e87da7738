// SPDX-License-Identifier: Apache-2.0
/** The key-count demo: load, verification and measurement around a live rescale. */
package io.meces.experiments.demo;
