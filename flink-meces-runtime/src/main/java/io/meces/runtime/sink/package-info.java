// SPDX-License-Identifier: Apache-2.0
/**
 * How what a sink has taken is brought outside, before the keys that it is of are somewhere else.
 */
package io.meces.runtime.sink;
