// SPDX-License-Identifier: Apache-2.0
/**
 * The NEXMark benchmark: events of an online auction, queries 1 to 8 as jobs of Flink, and the same
 * queries without Flink to compare with.
 */
package io.meces.examples.nexmark;
