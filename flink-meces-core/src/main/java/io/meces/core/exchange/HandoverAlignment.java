// SPDX-License-Identifier: Apache-2.0
package io.meces.core.exchange;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import javax.annotation.Nullable;

/**
 * The order in which a consumer reads the channels of a vertex that is rescaled: what a receiver of
 * a unit emits is not read before the last that its donor has emitted for it. A channel on which
 * "taken over" has come waits until "handed over" has come on that of the donor, as in the
 * alignment of barriers one channel waits for others. What the input brings of it meanwhile is kept
 * here, in order; as its buffers are not recycled, the network's credits bound it.
 *
 * <p><b>Barriers.</b> While a step runs no checkpoint does, so a barrier that is still on its way
 * belongs to one that has been aborted. It may come before "handed over" on the donor's channel and
 * after "taken over" on the receiver's. The alignment of barriers then holds the donor's channel
 * back until the receiver's has brought it, and that one waits for the donor. So it counts as
 * brought by channels that wait for one that has: nobody makes use of that checkpoint. (No barrier
 * of a checkpoint that counts stands before "handed over" in one channel and after "taken over" in
 * another.)
 *
 * <p>Owned by the thread that reads the input.
 *
 * @param <E> what a channel brings
 */
public final class HandoverAlignment<E> {

    private static final int NOTHING = -1;

    /** By channel: the last place of its producer that has been read; null if there was none. */
    private final Handover[] handedOver;

    /** By channel: the channel of the donor that it waits for, or {@link #NOTHING}. */
    private final int[] donor;

    /** By channel: the place that it waits for; null if it does not wait. */
    private final Handover[] awaited;

    /** By channel: the last checkpoint of which it has brought a barrier, or counts as such. */
    private final long[] barriers;

    private final Map<Integer, ArrayDeque<E>> kept = new HashMap<>();

    /** Channels that do not wait any more, but of which something is kept. */
    private final BitSet readable = new BitSet();

    private final BitSet waiting = new BitSet();

    public HandoverAlignment(int channels) {
        handedOver = new Handover[channels];
        awaited = new Handover[channels];
        donor = new int[channels];
        Arrays.fill(donor, NOTHING);
        barriers = new long[channels];
        Arrays.fill(barriers, NOTHING);
    }

    // ------------------------------------------------------------------------
    //  What has been read
    // ------------------------------------------------------------------------

    /** Its producer has emitted all up to this place. */
    public void onHandedOver(int channel, Handover handover) {
        if (handedOver[channel] == null || handedOver[channel].compareTo(handover) < 0) {
            handedOver[channel] = handover;
        }
        for (int c = waiting.nextSetBit(0); c >= 0; c = waiting.nextSetBit(c + 1)) {
            if (donor[c] == channel && isReached(channel, awaited[c])) {
                goOn(c);
            }
        }
    }

    /** What follows is to be read after what the donor has emitted up to this place. */
    public void onTakenOver(int channel, int donorChannel, Handover handover) {
        if (!isReached(donorChannel, handover)) {
            donor[channel] = donorChannel;
            awaited[channel] = handover;
            waiting.set(channel);
            readable.clear(channel);
        }
    }

    private boolean isReached(int channel, Handover handover) {
        return handedOver[channel] != null && handedOver[channel].compareTo(handover) >= 0;
    }

    private void goOn(int channel) {
        waiting.clear(channel);
        awaited[channel] = null;
        donor[channel] = NOTHING;
        if (kept.containsKey(channel)) {
            readable.set(channel);
        }
    }

    /** A channel has brought the barrier of a checkpoint. */
    public void onBarrier(int channel, long checkpoint) {
        barriers[channel] = Math.max(barriers[channel], checkpoint);
    }

    /** Whether a channel has brought the barrier of a checkpoint or of a later one. */
    public boolean hasBarrier(int channel, long checkpoint) {
        return barriers[channel] >= checkpoint;
    }

    /**
     * The channels that count as having brought a barrier, as they wait for one that has. To be
     * asked after each barrier and each "taken over"; each is told once.
     */
    public BitSet withBarrierOfDonor(long checkpoint) {
        BitSet all = new BitSet();
        boolean more = !waiting.isEmpty();
        while (more) {
            more = false;
            for (int c = waiting.nextSetBit(0); c >= 0; c = waiting.nextSetBit(c + 1)) {
                if (barriers[c] < checkpoint && barriers[donor[c]] >= checkpoint) {
                    barriers[c] = checkpoint;
                    all.set(c);
                    more = true;
                }
            }
        }
        return all;
    }

    // ------------------------------------------------------------------------
    //  What is kept
    // ------------------------------------------------------------------------

    /** Whether what a channel brings now may be read at once; otherwise {@link #keep} it. */
    public boolean mayRead(int channel) {
        return !waiting.get(channel) && !readable.get(channel);
    }

    /** Keeps what may not be read yet. */
    public void keep(int channel, E element) {
        kept.computeIfAbsent(channel, c -> new ArrayDeque<>()).add(element);
    }

    /** How much of a channel is kept. */
    public int kept(int channel) {
        ArrayDeque<E> elements = kept.get(channel);
        return elements == null ? 0 : elements.size();
    }

    /** Whether {@link #poll} has something. */
    public boolean hasReadable() {
        return !readable.isEmpty();
    }

    /** The next of what was kept and may be read now; null if there is nothing. */
    @Nullable
    public E poll() {
        int channel = readable.nextSetBit(0);
        if (channel < 0) {
            return null;
        }
        ArrayDeque<E> elements = kept.get(channel);
        E element = elements.poll();
        if (elements.isEmpty()) {
            kept.remove(channel);
            readable.clear(channel);
        }
        return element;
    }

    /** All that is kept; nothing is afterwards. */
    public ArrayDeque<E> takeAll() {
        ArrayDeque<E> all = new ArrayDeque<>();
        kept.values().forEach(all::addAll);
        kept.clear();
        readable.clear();
        return all;
    }
}
