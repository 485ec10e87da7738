// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.rest;

import io.meces.api.Rescales;
import java.util.ArrayList;
import java.util.stream.Collectors;
import org.apache.flink.runtime.rest.messages.ResponseBody;

/** The rescales that are remembered, the newest last, as Flink 2.3 lists its own. */
final class RescaleHistory extends ArrayList<RescaleEvent> implements ResponseBody {
    private static final long serialVersionUID = 1L;

    /** Called by Jackson. */
    RescaleHistory() {}

    RescaleHistory(Rescales rescales) {
        super(rescales.rescales().stream().map(RescaleEvent::brief).collect(Collectors.toList()));
    }
}
