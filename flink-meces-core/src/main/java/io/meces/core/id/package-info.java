// SPDX-License-Identifier: Apache-2.0
/** What vertices, attempts, data sets and operators are called, without Flink. */
package io.meces.core.id;
