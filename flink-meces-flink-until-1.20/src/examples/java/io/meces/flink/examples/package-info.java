// SPDX-License-Identifier: Apache-2.0
/** What differs between lines of Flink for the example jobs; each line has these classes. */
package io.meces.flink.examples;
