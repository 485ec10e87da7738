/** The command line. */
package io.meces.cli;
