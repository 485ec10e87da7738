/** The command line. */
package io.meces.examples.cli;
