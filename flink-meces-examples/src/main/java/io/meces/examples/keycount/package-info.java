// SPDX-License-Identifier: Apache-2.0
/** The key-count job: it counts records per key and shows whether each was counted exactly once. */
package io.meces.examples.keycount;
