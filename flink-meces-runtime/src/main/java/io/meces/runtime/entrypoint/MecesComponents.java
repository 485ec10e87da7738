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

package io.meces.runtime.entrypoint;

import io.meces.runtime.rest.MecesRestEndpointFactory;
import org.apache.flink.runtime.dispatcher.runner.DefaultDispatcherRunnerFactory;
import org.apache.flink.runtime.entrypoint.component.DefaultDispatcherResourceManagerComponentFactory;
import org.apache.flink.runtime.resourcemanager.StandaloneResourceManagerFactory;

/** What a JobManager process is put together from. */
public final class MecesComponents {

    /**
     * The value that {@code shuffle-service-factory.class} must have on every JobManager and
     * TaskManager.
     */
    public static final String SHUFFLE_SERVICE_FACTORY =
            "io.meces.runtime.shuffle.ElasticShuffleServiceFactory";

    private MecesComponents() {}

    /** Dispatcher, resource manager and REST endpoint of a standalone session cluster. */
    public static DefaultDispatcherResourceManagerComponentFactory session() {
        return new DefaultDispatcherResourceManagerComponentFactory(
                DefaultDispatcherRunnerFactory.createSessionRunner(new MecesDispatcherFactory()),
                StandaloneResourceManagerFactory.getInstance(),
                new MecesRestEndpointFactory());
    }
}
