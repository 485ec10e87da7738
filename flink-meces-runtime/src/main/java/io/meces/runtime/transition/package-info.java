/**
 * How state units and the messages about them travel between the tasks of an elastic vertex.
 *
 * <p>A {@link io.meces.runtime.transition.TransitionService} lives as long as its TaskManager.
 * There are two: {@link io.meces.runtime.transition.LocalTransitionService} within one TaskManager,
 * and {@link io.meces.runtime.transition.NettyTransitionService} between TaskManagers, which uses
 * the first for peers of its own. The latter consists of {@link
 * io.meces.runtime.transition.PeerConnection}s, which send, and {@link
 * io.meces.runtime.transition.FrameDecoder}s, which receive.
 */
package io.meces.runtime.transition;
