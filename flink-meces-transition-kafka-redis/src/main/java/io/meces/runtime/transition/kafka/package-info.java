// SPDX-License-Identifier: Apache-2.0
/**
 * The transition service of the Meces paper: requests and responses are Kafka records, the payloads
 * of units are in Redis.
 */
package io.meces.runtime.transition.kafka;
