// SPDX-License-Identifier: Apache-2.0
package io.meces.examples.nexmark;

/** How long the windows of a query are and how often they begin, in ms; 0 where it has none. */
public final class WindowLengths {

    /** Of {@link NexmarkQuery#Q3}: how far apart a person and an auction may be. */
    public final long sizeMillis;

    /** Of sliding windows; 0 if they tumble. */
    public final long slideMillis;

    public WindowLengths(long sizeMillis, long slideMillis) {
        this.sizeMillis = sizeMillis;
        this.slideMillis = slideMillis;
    }

    /**
     * These windows with other lengths.
     *
     * @throws IllegalArgumentException if a query with such windows could not have them
     */
    public WindowLengths with(long size, long slide) {
        require(sizeMillis > 0 == size > 0, "Only a query with windows has a window length.");
        require(slideMillis > 0 == slide > 0, "Only a query with sliding windows has a slide.");
        // A marker has a window of 1 ms for itself.
        require(size == 0 || size > 1, "A window is longer than 1 ms.");
        require(slide <= size, "Windows slide by their length at most.");
        return new WindowLengths(size, slide);
    }

    private static void require(boolean condition, String message) {
        if (!condition) {
            throw new IllegalArgumentException(message);
        }
    }

    @Override
    public String toString() {
        return sizeMillis + " ms by " + slideMillis + " ms";
    }
}
