// SPDX-License-Identifier: Apache-2.0
/**
 * The REST interface of flink-meces, on Flink's own port and in Flink's own conventions; {@code
 * docs/rest-api.md} describes it.
 *
 * <p>The handlers decide nothing: they turn JSON into the values of {@code io.meces.api}, and back,
 * and refusals into HTTP status codes.
 */
package io.meces.runtime.rest;
