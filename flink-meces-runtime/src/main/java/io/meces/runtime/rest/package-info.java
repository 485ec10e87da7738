/**
 * The REST interface of flink-meces, on Flink's own port and in Flink's own conventions:
 *
 * <ul>
 *   <li>{@code GET /jobs/:jobid/elasticity}
 *   <li>{@code POST /jobs/:jobid/rescales}
 *   <li>{@code GET /jobs/:jobid/rescales}
 *   <li>{@code GET /jobs/:jobid/rescales/:rescaleid}
 * </ul>
 *
 * <p>The handlers decide nothing: they turn JSON into the values of {@code io.meces.runtime.api},
 * and back, and refusals into HTTP status codes.
 */
package io.meces.runtime.rest;
