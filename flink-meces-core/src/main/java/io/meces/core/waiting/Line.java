// SPDX-License-Identifier: Apache-2.0
package io.meces.core.waiting;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import javax.annotation.Nullable;

/**
 * Elements that wait for the operator, in the order in which they were read. Apart from them stand
 * those that are held back until units have moved; then they go on, behind all others. Owned by the
 * task thread.
 */
public final class Line<E> {

    private final ArrayDeque<E> elements = new ArrayDeque<>();
    private final ArrayDeque<E> heldBack = new ArrayDeque<>();

    void adopt(Line<E> previous) {
        elements.addAll(previous.elements);
        previous.elements.clear();
    }

    /** Whether none may be processed now. */
    public boolean isEmpty() {
        return elements.isEmpty();
    }

    public boolean holdsBack() {
        return !heldBack.isEmpty();
    }

    /** How many wait, held back or not. */
    public int size() {
        return elements.size() + heldBack.size();
    }

    /** How many are held back. */
    public int heldBack() {
        return heldBack.size();
    }

    public void add(E element) {
        elements.add(element);
    }

    public void holdBack(E element) {
        heldBack.add(element);
    }

    /** Nothing is held back any more. */
    public void goOn() {
        elements.addAll(heldBack);
        heldBack.clear();
    }

    /** Takes the first one that is not held back; null if there is none. */
    @Nullable
    public E poll() {
        return elements.poll();
    }

    /** Takes all that meet a condition and are not held back, in order. */
    public List<E> takeIf(Predicate<E> condition) {
        List<E> taken = new ArrayList<>();
        // Once round: taking one out from the middle would move all others.
        for (int i = elements.size(); i > 0; i--) {
            E element = elements.poll();
            (condition.test(element) ? taken : elements).add(element);
        }
        return taken;
    }
}
