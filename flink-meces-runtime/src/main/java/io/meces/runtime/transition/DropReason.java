// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.transition;

/** Why a message was dropped instead of handled. */
public enum DropReason {
    /** Its receiver does not run in this TaskManager. */
    UNKNOWN_RECEIVER,
    /** It belongs to another rescale, or its sender is not a peer of this one. */
    STALE,
    /** It, or what it refers to, is not an intact message. */
    MALFORMED,
    /** It has come before. */
    DUPLICATE,
    /** What it refers to is not in the external store (any more). */
    PAYLOAD_MISSING,
    /** It was not sent, as its connection was down for too long or too much was waiting for it. */
    UNSENT
}
