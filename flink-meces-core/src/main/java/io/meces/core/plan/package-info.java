// SPDX-License-Identifier: Apache-2.0
/**
 * Who gets which key-group, and in which steps: pure functions from values to values. Nothing here
 * knows Flink, a network or a clock, and everything but {@link io.meces.core.plan.MovesLeft} is
 * immutable, so it may be used by any thread.
 *
 * <p>A {@link io.meces.core.plan.RepartitionStrategy} says where the key-groups shall end. {@link
 * io.meces.core.plan.MovesLeft} cuts the way there into {@link io.meces.core.plan.Step steps} that
 * the migration protocol can carry out without a deadlock, one by one; the {@link
 * io.meces.core.plan.Planner} all at once.
 */
package io.meces.core.plan;
