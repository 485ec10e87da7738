/** The REST interface of a JobManager, seen from a client. */
package io.meces.cli.rest;
