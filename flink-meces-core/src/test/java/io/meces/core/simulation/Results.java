// SPDX-License-Identifier: Apache-2.0
package io.meces.core.simulation;

import java.util.List;

/** What users see of one kind of sink: the outputs that were committed. */
final class Results {

    private final String name;
    private final Oracle oracle;
    private final byte[] committed;

    Results(String name, Oracle oracle) {
        this.name = name;
        this.oracle = oracle;
        this.committed = new byte[oracle.outputs()];
    }

    void commit(SimulatedElement output) {
        Ledger.check(
                output.value == oracle.valueOf(output.index),
                "%s is committed to %s with value %d instead of %d",
                output,
                name,
                output.value,
                oracle.valueOf(output.index));
        Ledger.check(++committed[output.index] == 1, "%s is committed to %s again", output, name);
    }

    /**
     * Checks that everything is there once, committed or about to be.
     *
     * @param expected by output number: 1 if it must be there, 0 if not, -1 if either is right
     */
    void check(byte[] expected, List<Transaction> uncommitted, String when) {
        byte[] seen = committed.clone();
        for (Transaction transaction : uncommitted) {
            if (transaction.results() == this && !transaction.isCommitted()) {
                transaction.outputs().forEach(o -> seen[o.index]++);
            }
        }
        for (int i = 0; i < seen.length; i++) {
            Ledger.check(
                    expected[i] < 0 ? seen[i] <= 1 : seen[i] == expected[i],
                    "output %d is %d time(s) in %s %s, instead of %d",
                    i,
                    (int) seen[i],
                    name,
                    when,
                    (int) expected[i]);
        }
    }
}
