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

package io.meces.cli.rest;

import java.io.IOException;

/** The JobManager has answered with an error. */
public final class RefusedException extends IOException {
    private static final long serialVersionUID = 1L;

    private final int status;

    RefusedException(int status, String message) {
        super(message);
        this.status = status;
    }

    /** The HTTP status. */
    public int status() {
        return status;
    }

    /** Whether the request was at fault (4xx), rather than the JobManager (5xx). */
    public boolean isRefusal() {
        return status >= 400 && status < 500;
    }
}
