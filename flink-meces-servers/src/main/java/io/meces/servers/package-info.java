/** Kafka, Redis and other servers as processes of this machine. */
package io.meces.servers;
