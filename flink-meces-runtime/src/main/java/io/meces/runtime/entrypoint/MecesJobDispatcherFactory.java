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

import java.util.Collection;
import org.apache.flink.runtime.dispatcher.Dispatcher;
import org.apache.flink.runtime.dispatcher.DispatcherBootstrapFactory;
import org.apache.flink.runtime.dispatcher.DispatcherFactory;
import org.apache.flink.runtime.dispatcher.DispatcherId;
import org.apache.flink.runtime.dispatcher.DispatcherServices;
import org.apache.flink.runtime.dispatcher.MiniDispatcher;
import org.apache.flink.runtime.dispatcher.PartialDispatcherServicesWithJobGraphStore;
import org.apache.flink.runtime.entrypoint.ClusterEntrypoint;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.rpc.RpcService;

/**
 * Creates Flink's dispatcher of a cluster for one job, with {@link MecesJobManagerRunnerFactory} in
 * place of Flink's own. Has no state.
 */
final class MecesJobDispatcherFactory implements DispatcherFactory {

    @Override
    public Dispatcher createDispatcher(
            RpcService rpcService,
            DispatcherId fencingToken,
            Collection<JobGraph> jobs,
            DispatcherBootstrapFactory bootstrapFactory,
            PartialDispatcherServicesWithJobGraphStore services)
            throws Exception {
        return new MiniDispatcher(
                rpcService,
                fencingToken,
                DispatcherServices.from(services, new MecesJobManagerRunnerFactory()),
                jobs.iterator().next(),
                bootstrapFactory,
                ClusterEntrypoint.ExecutionMode.valueOf(
                        services.getConfiguration().getString(ClusterEntrypoint.EXECUTION_MODE)));
    }
}
