// SPDX-License-Identifier: Apache-2.0
/** Load that does not wait for the system under test. */
package io.meces.examples.load;
