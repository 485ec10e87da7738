/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
 * in compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License
 * is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
 * or implied. See the License for the specific language governing permissions and limitations under
 * the License.
 */

package io.meces.runtime.courier;

/**
 * What a {@link Courier} does in the world. Called by the courier's owner thread.
 *
 * @param <M> a parcel
 */
public interface CourierPort<M> {

    /** Sends a parcel, maybe not for the first time; it may get lost. */
    void transmit(int peer, Lane lane, long sequence, M parcel);

    /**
     * Tells a peer what has come from it; it may get lost.
     *
     * @param next per lane, by ordinal: the sequence number that is expected next
     */
    void acknowledge(int peer, long[] next);

    /** A parcel has come, once and in its turn. */
    void deliver(int peer, M parcel) throws Exception;

    /**
     * The peer has handled the parcel; {@link #release} follows.
     *
     * @param nanos since it was first sent
     */
    default void confirmed(int peer, Lane lane, M parcel, long nanos) {}

    /** The peer has got the parcel, or will never need it: what is kept for it can go. */
    void release(int peer, Lane lane, long sequence, M parcel);
}
