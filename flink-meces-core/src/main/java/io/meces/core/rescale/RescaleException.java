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

package io.meces.core.rescale;

/** Something of a rescale has failed, or will not happen any more. */
public final class RescaleException extends Exception {
    private static final long serialVersionUID = 1L;

    public RescaleException(String message) {
        super(message);
    }

    public RescaleException(String message, Throwable cause) {
        super(message, cause);
    }
}
