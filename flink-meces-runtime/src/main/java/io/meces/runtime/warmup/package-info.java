// SPDX-License-Identifier: Apache-2.0
/**
 * Makes the first rescale of a process as quick as the later ones: classes are loaded and the code
 * that moves units is compiled before it is needed.
 */
package io.meces.runtime.warmup;
