// SPDX-License-Identifier: Apache-2.0
/** What the JobManager tells tasks, and what they report. Plain values. */
package io.meces.core.command;
