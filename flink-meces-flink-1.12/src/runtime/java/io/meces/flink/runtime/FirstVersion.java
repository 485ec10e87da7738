// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import org.apache.flink.runtime.rest.handler.RestHandlerSpecification;

/** What is served in the first version of REST, as all else in Flink. */
public interface FirstVersion extends RestHandlerSpecification {}
