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

package org.apache.flink.kubernetes.entrypoint;

import org.apache.flink.configuration.Configuration;

/** What a pod is told. Gives access only; has no state. */
public final class KubernetesConfiguration {

    private KubernetesConfiguration() {}

    /**
     * The configuration that the environment of the pod leads to.
     *
     * @param arguments takes precedence
     * @throws RuntimeException if the environment does not say what it has to
     */
    public static Configuration load(Configuration arguments) {
        return KubernetesEntrypointUtils.loadConfiguration(arguments);
    }
}
