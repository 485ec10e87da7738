// SPDX-License-Identifier: Apache-2.0
/** Event time at an operator whose units come and go. Pure logic, owned by the task thread. */
package io.meces.core.eventtime;
