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

package io.meces.core.command;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Consecutive reports of a task. One that is not confirmed comes again. */
public final class NumberedReports implements Serializable {
    private static final long serialVersionUID = 1L;

    /** The number of the first; the first of a task is 0. */
    public final long first;

    private final List<TaskReport> reports;

    public NumberedReports(long first, List<TaskReport> reports) {
        this.first = first;
        this.reports = new ArrayList<>(reports);
    }

    public List<TaskReport> reports() {
        return Collections.unmodifiableList(reports);
    }

    @Override
    public String toString() {
        return reports + " from number " + first;
    }
}
