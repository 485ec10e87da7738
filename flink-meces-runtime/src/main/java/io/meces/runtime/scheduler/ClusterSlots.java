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

package io.meces.runtime.scheduler;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import javax.annotation.Nullable;
import org.apache.flink.api.common.time.Time;
import org.apache.flink.runtime.concurrent.FutureUtils;
import org.apache.flink.runtime.jobmaster.slotpool.SlotPool;
import org.apache.flink.runtime.jobmaster.slotpool.SlotPoolFactory;
import org.apache.flink.runtime.resourcemanager.ResourceManagerGateway;
import org.apache.flink.util.FlinkException;

/**
 * The slots that a job could have at once: those that its slot pool keeps unused, and those that
 * the resource manager has for anybody. Flink's JobMaster tells its slot pool who the resource
 * manager is, and nobody else. Owned by the JobMaster's main thread.
 */
public final class ClusterSlots {

    private final SlotPool pool;
    private final Time timeout;

    private ClusterSlots(SlotPool pool, Time timeout) {
        this.pool = pool;
        this.timeout = timeout;
    }

    /** Makes slot pools of which {@link #of} knows the resource manager. */
    public static SlotPoolFactory watching(SlotPoolFactory flinks) {
        return job ->
                (SlotPool)
                        Proxy.newProxyInstance(
                                ClusterSlots.class.getClassLoader(),
                                new Class<?>[] {SlotPool.class},
                                new Watched(flinks.createSlotPool(job)));
    }

    static ClusterSlots of(SlotPool pool, Time timeout) {
        return new ClusterSlots(pool, timeout);
    }

    /**
     * How many there are; completes in the main thread. Fails if the resource manager is not there.
     */
    CompletableFuture<Integer> free(Executor mainThread) {
        ResourceManagerGateway manager = resourceManager();
        if (manager == null) {
            return FutureUtils.completedExceptionally(
                    new FlinkException("no resource manager is connected"));
        }
        return manager.requestResourceOverview(timeout)
                .handleAsync(
                        (cluster, failure) -> {
                            if (failure != null) {
                                throw new CompletionException(failure);
                            }
                            return cluster.getNumberFreeSlots()
                                    + pool.getAvailableSlotsInformation().size();
                        },
                        mainThread);
    }

    @Nullable
    private ResourceManagerGateway resourceManager() {
        InvocationHandler handler =
                Proxy.isProxyClass(pool.getClass()) ? Proxy.getInvocationHandler(pool) : null;
        return handler instanceof Watched ? ((Watched) handler).resourceManager : null;
    }

    /** A slot pool of Flink's. */
    private static final class Watched implements InvocationHandler {
        private final SlotPool flinks;
        @Nullable private ResourceManagerGateway resourceManager;

        Watched(SlotPool flinks) {
            this.flinks = flinks;
        }

        @Override
        public Object invoke(Object self, Method method, Object[] arguments) throws Throwable {
            if (method.getName().equals("connectToResourceManager")) {
                resourceManager = (ResourceManagerGateway) arguments[0];
            } else if (method.getName().equals("disconnectResourceManager")) {
                resourceManager = null;
            }
            try {
                return method.invoke(flinks, arguments);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        }
    }
}
