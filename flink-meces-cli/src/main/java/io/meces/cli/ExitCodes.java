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

package io.meces.cli;

/** What the command line tells the shell. */
public final class ExitCodes {
    public static final int OK = 0;

    /**
     * A rescale has failed, or its end was not seen in time; a demo was not exact, or something
     * else went wrong.
     */
    public static final int FAILED = 1;

    static final int USAGE = 2;

    /** The JobManager has refused the request; nothing has changed. */
    static final int REFUSED = 3;

    static final int UNREACHABLE = 4;

    private ExitCodes() {}
}
