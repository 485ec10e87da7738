// SPDX-License-Identifier: Apache-2.0
/**
 * How state units and the messages about them travel between the tasks of an elastic vertex.
 *
 * <p>A {@link io.meces.runtime.transition.TransitionService} lives as long as its TaskManager.
 * There are three: {@link io.meces.runtime.transition.LocalTransitionService} within one
 * TaskManager; {@link io.meces.runtime.transition.NettyTransitionService} and, in a jar of its own,
 * one by Kafka and Redis between TaskManagers, which use the first for peers of their own. A {@link
 * io.meces.runtime.transition.TransitionServiceFactory} that the service loader finds adds another.
 * That of Netty consists of {@link io.meces.runtime.transition.PeerConnection}s, which send, and
 * {@link io.meces.runtime.transition.FrameDecoder}s, which receive.
 */
package io.meces.runtime.transition;
