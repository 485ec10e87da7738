// SPDX-License-Identifier: Apache-2.0
/** Kafka, Redis and other servers as processes of this machine. */
package io.meces.servers;
