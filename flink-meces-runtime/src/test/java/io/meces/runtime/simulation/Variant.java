/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
 * in compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License
 * is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
 * or implied. See the License for the specific language governing permissions and limitations under
 * the License.
 */

package io.meces.runtime.simulation;

/** Ways to break the protocol, its port or its drive; each must be noticed. */
enum Variant {
    /** As it is in production. */
    SOUND,
    /** A donor processes records whose unit it has given away. */
    LATE_RECORDS_ARE_PROCESSED,
    /** A donor drops records whose unit it has given away. */
    LATE_RECORDS_ARE_DROPPED,
    /** A donor says that a channel is passed before it forwards the last records of it. */
    PASSED_BEFORE_FORWARDED,
    /** Records that wait at a donor for the cut are forwarded after their unit, not before it. */
    QUEUED_RECORDS_FOLLOW_THEIR_UNIT,
    /** Records that were queued at the donor may be overtaken by their unit. */
    QUEUED_RECORDS_IN_ANOTHER_LANE,
    /** A receiver does not wait for the donor to pass the marker of a channel. */
    RECEIVER_DOES_NOT_WAIT,
    /** A receiver takes the first PASSED of a donor for all channels. */
    PASSED_COUNTS_FOR_ALL_CHANNELS,
    /** The watermark of a receiver is not held back. */
    WATERMARK_NOT_CAPPED,
    /** What lifts the cap at the end of a rescale may lift that of a later one; rare. */
    OLD_RELEASE_LIFTS_NEW_CAP,
    /** With one upstream, units leave and come although a watermark is between. */
    MARKER_IS_NO_CUT_IN_EVENT_TIME,
    /** With one upstream, records overtake a watermark that has to wait for units. */
    HELD_BACK_WATERMARK_IS_OVERTAKEN,
    /** A donor gives units although it lags behind the receivers. */
    WATERMARK_OF_RECEIVERS_IGNORED,
    /** A receiver that gives later may lag behind one that takes from it. */
    RECEIVERS_NOT_LEVELLED,
    /** The controller lets receivers rise while a step runs. */
    LEVELLED_IN_STEP,
    /** A unit travels without its timers. */
    TIMERS_LEFT_BEHIND,
    /** A unit travels with its timers, and the donor keeps a copy of them. */
    TIMERS_COPIED,
    /** The first unit on a link gets lost. */
    UNIT_DROPPED,
    /** Each unit arrives twice. */
    UNIT_DELIVERED_TWICE,
    /** Requests get lost; a step must end all the same: no fault. */
    REQUESTS_DROPPED,
    /** Requests arrive twice: no fault. */
    REQUESTS_DELIVERED_TWICE,
    /** A receiver does not confirm a unit. */
    CONFIRMATION_DROPPED,
    /** Messages of a link overtake each other. */
    LINK_NOT_IN_ORDER,
    /** Messages of a step that has not begun here are dropped instead of kept. */
    EARLY_MESSAGES_DROPPED,
    /** An upstream routes anew some time before it broadcasts the marker. */
    MARKER_TOO_LATE,
    /** An upstream broadcasts the marker some time before it routes anew. */
    MARKER_TOO_EARLY,
    /** Upstreams switch before all donors and receivers have begun the step. */
    SWITCH_BEFORE_STARTED,
    /** A rescale drops what the one before has left in the backlog. */
    BACKLOG_NOT_ADOPTED,
    /** A donor says that it has passed all markers when a step begins. */
    GRANT_BEFORE_MARKER,
    /** A receiver acknowledges the highest message that it has seen, and so those before it. */
    ACKNOWLEDGED_BEFORE_HANDLED,
    /** A donor that gets no acknowledgement of a unit for some time takes it as installed. */
    SENT_COUNTS_AS_INSTALLED,
    /** Messages and reports of former attempts and rescales are taken as those of today. */
    NO_FENCING,
    /** Checkpoints are not held back while a step runs. */
    CHECKPOINT_IN_STEP,
    /** A rescale does not wait for the end of a checkpoint that is on its way. */
    CHECKPOINT_NOT_AWAITED,
    /** A barrier overtakes what waits in the backlog. */
    BARRIER_OVERTAKES_BACKLOG,
    /** A source takes its position some time after it has emitted the barrier. */
    BARRIER_BEFORE_POSITION,
    /** Sinks commit when they take part in a checkpoint, not when it is complete. */
    COMMIT_BEFORE_COMPLETION,
    /** Timers are not in checkpoints. */
    TIMERS_NOT_IN_CHECKPOINT,
    /** After a restart upstreams route as if there had been no rescale. */
    FORGOTTEN_ASSIGNMENT,
    /** A new JobManager does not restore what the checkpoint has stored. */
    ELASTICITY_NOT_RESTORED,
    /** After a restart sources begin anew. */
    SOURCES_START_ANEW,
    /** A subtask leaves without a checkpoint. */
    LEAVES_UNCONFIRMED,
    /** The list state of subtasks that have left is not in later checkpoints. */
    LIST_STATE_FORGOTTEN,
    /** The controller goes on when the receivers have completed a step; donors may still run it. */
    DONORS_NOT_AWAITED,
    /** The controller ignores that a subtask completes a step before it has heard of all starts. */
    EARLY_COMPLETION_IGNORED,
    /** The controller does not hear that an upstream ends before new subtasks are connected. */
    END_OF_UPSTREAM_NOT_NOTICED,
    /**
     * A task carries out a command once more that is sent again as it was not confirmed in time.
     */
    REPEATED_COMMANDS_ARE_CARRIED_OUT,
    /** A rescale does not begin where the end of the one before has not been heard of. */
    LOST_END_HINDERS_NEXT_BEGINNING,
    /** A rescale that is given up ends only where its beginning has been reported. */
    END_ONLY_WHERE_BEGUN,
    /** The end of a channel does not count as its marker. */
    END_IS_NO_MARKER,
    /** A donor processes broadcast records behind the cut before its units have left. */
    BROADCAST_NOT_HELD_BACK_AT_DONOR,
    /** A receiver processes broadcast records behind the cut before its units have arrived. */
    BROADCAST_NOT_HELD_BACK_AT_RECEIVER,
    /** A donor gives units before it has processed all broadcast records before the cut. */
    UNIT_LEAVES_BEFORE_CUT,
    /** A receiver installs units before it has processed all broadcast records before the cut. */
    UNIT_INSTALLED_BEFORE_CUT,
    /** Broadcast state is handed over before all broadcast records before the cut are in it. */
    HANDOVER_BEFORE_CUT,
    /** A new subtask processes broadcast records that are in the state handed over, too. */
    NEW_SUBTASK_IGNORES_NOTHING,
    /** A new subtask does not keep the broadcast records that come before the state. */
    NEW_SUBTASK_DOES_NOT_WAIT,
    /** A donor does not tell its consumers that it has handed units over. */
    HANDED_OVER_LEFT_OUT,
    /** A donor says that it has handed units over before it has emitted their last results. */
    HANDED_OVER_TOO_EARLY,
    /** A receiver does not tell its consumers that it has taken units over. */
    TAKEN_OVER_LEFT_OUT,
    /** A receiver says that it has taken units over after it has emitted a result. */
    TAKEN_OVER_TOO_LATE,
    /** A receiver names an earlier handover than that of the unit. */
    TAKEN_OVER_WITH_ANOTHER_NUMBER,
    /** A consumer does not wait for the donor before it reads results of a receiver. */
    CONSUMER_DOES_NOT_WAIT,
    /** A consumer reads what it has kept of a channel after what came later. */
    KEPT_IS_OVERTAKEN,
    /** A channel that waits for a donor does not count as having brought its old barriers. */
    OLD_BARRIER_HOLDS_DONOR,
    /** A donor sends a unit although its sink has not written all results of it. */
    UNIT_SENT_BEFORE_DRAIN,
    /** A drain counts for units that have been taken out of the state while it ran. */
    DRAIN_COUNTS_FOR_LATER_UNITS;

    /** Whether everything must still be right. */
    boolean isHarmless() {
        return this == SOUND || this == REQUESTS_DROPPED || this == REQUESTS_DELIVERED_TWICE;
    }
}
