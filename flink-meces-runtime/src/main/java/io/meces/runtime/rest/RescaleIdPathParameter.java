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

package io.meces.runtime.rest;

import org.apache.flink.runtime.rest.messages.MessagePathParameter;

/** Identifies a rescale within its job. Any text: the controller knows which ids there are. */
public final class RescaleIdPathParameter extends MessagePathParameter<String> {

    static final String KEY = "rescaleid";

    RescaleIdPathParameter() {
        super(KEY);
    }

    @Override
    protected String convertFromString(String value) {
        return value;
    }

    @Override
    protected String convertToString(String value) {
        return value;
    }

    @Override
    public String getDescription() {
        return "32-character hexadecimal string value that identifies a rescale of the job.";
    }
}
