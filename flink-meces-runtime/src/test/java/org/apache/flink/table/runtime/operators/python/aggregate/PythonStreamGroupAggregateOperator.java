// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.table.runtime.operators.python.aggregate;

import org.apache.flink.streaming.api.operators.AbstractStreamOperator;

/** Has the name of the operator of PyFlink, which is not on the class path. */
public class PythonStreamGroupAggregateOperator extends AbstractStreamOperator<Long> {
    private static final long serialVersionUID = 1L;
}
