// SPDX-License-Identifier: Apache-2.0
/**
 * The scheduler of an elastic job: deploys and ends subtasks as rescales want it, and shows the job
 * as if there were no others than those that are active.
 */
package io.meces.runtime.scheduler;
