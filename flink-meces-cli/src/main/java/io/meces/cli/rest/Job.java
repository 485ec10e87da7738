// SPDX-License-Identifier: Apache-2.0
package io.meces.cli.rest;

/** A job as the overview of the JobManager lists it. */
public final class Job {
    public final String id;
    public final String name;
    public final String state;

    Job(String id, String name, String state) {
        this.id = id;
        this.name = name;
        this.state = state;
    }
}
