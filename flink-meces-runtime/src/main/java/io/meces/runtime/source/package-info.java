/** What sources tell of themselves. */
package io.meces.runtime.source;
