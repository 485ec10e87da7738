/** Makes the keyed vertices of a job graph elastic before it is scheduled. */
package io.meces.runtime.graph;
