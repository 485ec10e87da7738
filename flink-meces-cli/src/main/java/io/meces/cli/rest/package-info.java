// SPDX-License-Identifier: Apache-2.0
/** The REST interface of a JobManager, seen from a client. */
package io.meces.cli.rest;
