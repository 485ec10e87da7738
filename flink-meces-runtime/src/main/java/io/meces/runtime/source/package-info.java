// SPDX-License-Identifier: Apache-2.0
/** What sources tell of themselves. */
package io.meces.runtime.source;
