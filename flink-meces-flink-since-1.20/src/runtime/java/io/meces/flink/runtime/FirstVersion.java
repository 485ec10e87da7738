// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import java.util.Collection;
import java.util.Collections;
import org.apache.flink.runtime.rest.handler.RestHandlerSpecification;
import org.apache.flink.runtime.rest.versioning.RuntimeRestAPIVersion;

/** What is served in the first version of REST, as all else in Flink. */
public interface FirstVersion extends RestHandlerSpecification {

    @Override
    default Collection<RuntimeRestAPIVersion> getSupportedAPIVersions() {
        return Collections.singleton(RuntimeRestAPIVersion.V1);
    }
}
