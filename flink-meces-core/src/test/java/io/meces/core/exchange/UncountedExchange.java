// SPDX-License-Identifier: Apache-2.0
package io.meces.core.exchange;

/** Metrics that nobody looks at. */
public final class UncountedExchange implements ExchangeMetrics {

    public static final UncountedExchange INSTANCE = new UncountedExchange();

    private UncountedExchange() {}

    @Override
    public void requested() {
        // not counted
    }

    @Override
    public void fetched(long nanos) {
        // not counted
    }

    @Override
    public void granted(boolean onDemand) {
        // not counted
    }

    @Override
    public void confirmed(long nanos) {
        // not counted
    }

    @Override
    public void repeated(long messages) {
        // not counted
    }

    @Override
    public void duplicates(long messages) {
        // not counted
    }

    @Override
    public void stale() {
        // not counted
    }

    @Override
    public void malformed() {
        throw new AssertionError("a message makes no sense");
    }
}
