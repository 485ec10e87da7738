/** Flink as processes of this machine. */
package io.meces.experiments.cluster;
