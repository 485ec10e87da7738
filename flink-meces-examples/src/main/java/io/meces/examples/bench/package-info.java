/** Benchmarks: flink-meces next to stock Flink. */
package io.meces.examples.bench;
