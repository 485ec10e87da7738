// SPDX-License-Identifier: Apache-2.0
/**
 * How the elastic scheduler comes into a cluster: the chain of Flink's factories from the entry
 * point down to the JobMaster of a job. Nothing here runs after a job has started.
 *
 * <pre>
 * entry point, mini cluster -> MecesComponents -> Dispatchers
 *     -> JobManagerRunners -> MecesSchedulerFactory -> ElasticShuffleMaster
 * </pre>
 */
package io.meces.runtime.entrypoint;
