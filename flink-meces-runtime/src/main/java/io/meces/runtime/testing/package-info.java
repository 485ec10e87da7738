/** A cluster in the own process, for tests of jobs that are rescaled. */
package io.meces.runtime.testing;
