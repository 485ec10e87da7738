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

package org.apache.flink.runtime.minicluster;

import org.apache.flink.runtime.entrypoint.component.DispatcherResourceManagerComponentFactory;

/**
 * A mini cluster that is put together from other components. Lives in this package for the hook
 * {@code createDispatcherResourceManagerComponentFactory}, which is package-private.
 */
public final class MecesMiniClusterBridge extends MiniCluster {

    private final DispatcherResourceManagerComponentFactory components;

    public MecesMiniClusterBridge(
            MiniClusterConfiguration configuration,
            DispatcherResourceManagerComponentFactory components) {
        super(configuration);
        this.components = components;
    }

    @Override
    DispatcherResourceManagerComponentFactory createDispatcherResourceManagerComponentFactory() {
        return components;
    }

    /** A TaskManager that is started later could not talk to one that has no data port. */
    @Override
    protected boolean useLocalCommunication() {
        return false;
    }
}
