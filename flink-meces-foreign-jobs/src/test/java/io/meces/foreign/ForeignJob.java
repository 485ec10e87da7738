// SPDX-License-Identifier: Apache-2.0
package io.meces.foreign;

/** A job as its user writes it, and how its results are compared. Immutable. */
final class ForeignJob {

    /** As in the first column of the table. */
    final String name;

    final Comparison comparison;
    final Definition definition;

    ForeignJob(String name, Comparison comparison, Definition definition) {
        this.name = name;
        this.comparison = comparison;
        this.definition = definition;
    }

    /**
     * The same without operator chaining: what is behind a keyed operator is a vertex of its own.
     */
    ForeignJob unchained() {
        return new ForeignJob(
                name + ", not chained",
                comparison,
                run -> {
                    run.env.disableOperatorChaining();
                    definition.build(run);
                });
    }

    @Override
    public String toString() {
        return name;
    }

    /** Builds the job from the sources to the sink. */
    interface Definition {
        void build(Run run) throws Exception;
    }
}
