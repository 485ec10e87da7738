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

package io.meces.examples.experiment;

import io.meces.examples.cluster.FlinkCluster;
import io.meces.examples.demo.KeyCountBed;
import java.util.Arrays;
import java.util.Locale;
import java.util.Objects;

/** A way to rescale a job. A value. */
public final class Mechanism {
    private static final String NETTY = "netty";

    /** What is done. */
    enum Kind {
        /** Live, what records wait for first. */
        MECES,
        /** Live, whole key-groups in a fixed order. */
        ORDER_UNAWARE,
        /** Stop with savepoint and start anew, on stock Flink. */
        NATIVE
    }

    final Kind kind;

    /** How state travels; of no meaning for {@link Kind#NATIVE}. */
    final String service;

    private Mechanism(Kind kind, String service) {
        this.kind = kind;
        this.service = service;
    }

    /**
     * Reads {@code meces}, {@code order-unaware} or {@code native}; behind a colon there may be a
     * transition service.
     *
     * @param defaultService the service if there is none in the text
     * @throws IllegalArgumentException with a message for the user
     */
    static Mechanism parse(String text, String defaultService) {
        int colon = text.indexOf(':');
        String name = colon < 0 ? text : text.substring(0, colon);
        String service = colon < 0 ? defaultService : text.substring(colon + 1);
        Kind kind =
                Arrays.stream(Kind.values())
                        .filter(k -> nameOf(k).equals(name))
                        .findFirst()
                        .orElseThrow(
                                () ->
                                        new IllegalArgumentException(
                                                "There is no mechanism "
                                                        + text
                                                        + "; there are meces, order-unaware and"
                                                        + " native."));
        if (kind == Kind.NATIVE) {
            if (colon >= 0) {
                throw new IllegalArgumentException("native has no transition service.");
            }
            return new Mechanism(kind, NETTY);
        }
        if (!service.equals(NETTY) && !service.equals(KeyCountBed.KAFKA_REDIS)) {
            throw new IllegalArgumentException(
                    "A transition service is netty or kafka-redis, not " + service + ".");
        }
        return new Mechanism(kind, service);
    }

    private static String nameOf(Kind kind) {
        return kind.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Sets up the cluster for it. What is not set here is the same for all. */
    void applyTo(FlinkCluster.Spec spec, ExperimentOptions options) {
        switch (kind) {
            case MECES:
                spec.config("meces.state.sub-groups", String.valueOf(options.subGroups));
                break;
            case ORDER_UNAWARE:
                spec.config("meces.migration.order", "SEQUENTIAL");
                spec.config("meces.state.sub-groups", String.valueOf(options.blockSubGroups));
                break;
            default:
                spec.stock(true);
        }
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Mechanism
                && ((Mechanism) other).kind == kind
                && ((Mechanism) other).service.equals(service);
    }

    @Override
    public int hashCode() {
        return Objects.hash(kind, service);
    }

    @Override
    public String toString() {
        return nameOf(kind) + (service.equals(NETTY) ? "" : ":" + service);
    }
}
