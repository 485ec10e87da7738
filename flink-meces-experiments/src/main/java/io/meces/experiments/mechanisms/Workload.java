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

package io.meces.experiments.mechanisms;

import io.meces.experiments.harness.JobTopics;
import io.meces.experiments.run.Watchdog;
import java.util.List;
import java.util.Map;
import javax.annotation.Nullable;

/** A job and what it works on. */
interface Workload {

    /** For names of files and for titles. */
    String name();

    /** What is special about it, for the report. */
    Map<String, Object> parameters();

    /** The main class; null for the one that the job jar names. */
    @Nullable
    String mainClass();

    /** The arguments of the job, without those that all workloads share. */
    List<String> jobArguments();

    /** How the names of the vertices begin that are rescaled. */
    List<String> vertices();

    /** Opens input and output of the job. */
    Traffic open(JobTopics topics, Watchdog watchdog);
}
