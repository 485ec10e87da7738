/** Load that does not wait for the system under test. */
package io.meces.examples.load;
