// SPDX-License-Identifier: Apache-2.0
/** What {@code meces top} shows: read by REST, made into lines, put on a terminal. */
package io.meces.cli.top;
