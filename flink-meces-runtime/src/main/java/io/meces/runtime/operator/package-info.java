// SPDX-License-Identifier: Apache-2.0
/** What operators keep in memory beside their state, and how it follows their keys. */
package io.meces.runtime.operator;
