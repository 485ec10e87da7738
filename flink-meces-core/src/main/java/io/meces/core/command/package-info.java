// SPDX-License-Identifier: Apache-2.0
/** What the JobManager tells tasks, and what they report: plain values, and how none is lost. */
package io.meces.core.command;
