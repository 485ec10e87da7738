// SPDX-License-Identifier: Apache-2.0
package io.meces.state;

/**
 * To be implemented by a function or an operator that keeps values of keys in fields, such as a
 * cache in front of its state, and is in a vertex that can be rescaled.
 *
 * <p>On a stock Flink a key stays at a subtask as long as that lives. A rescale takes it to another
 * one, where its state changes, and another rescale may bring it back: what a field has of it by
 * then is outdated.
 */
public interface ForgetsKeys {

    /**
     * Keys are about to leave: drop what fields have of keys. What is in a field only is to be
     * written to where it belongs before; there is no current key.
     *
     * <p>Called by the task thread between two records, right before a part of the keys leaves. In
     * a rescale that is hundreds of times, so it should cost nothing if there is nothing to drop.
     *
     * @throws Exception fails the job
     */
    void forgetKeys() throws Exception;
}
