// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import org.apache.flink.runtime.checkpoint.channel.ChannelStateWriter;
import org.apache.flink.runtime.execution.Environment;

/** What only some lines of Flink have of an environment. */
abstract class ChannelStateEnvironment implements Environment {

    protected final Environment environment;

    ChannelStateEnvironment(Environment environment) {
        this.environment = environment;
    }

    @Override
    public void setChannelStateWriter(ChannelStateWriter writer) {
        environment.setChannelStateWriter(writer);
    }

    @Override
    public ChannelStateWriter getChannelStateWriter() {
        return environment.getChannelStateWriter();
    }
}
