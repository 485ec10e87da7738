// SPDX-License-Identifier: Apache-2.0
package io.meces.core.simulation;

import java.io.IOException;
import java.io.PrintStream;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongFunction;

/**
 * Ways to break the protocol, its port or its drive; each must be noticed. They replace fragments
 * of the classes that ship, and few of those that stand for Flink, wherever these stand.
 */
enum Variant {
    SOUND("As it is in production"),
    LATE_RECORDS_ARE_PROCESSED(
            "A donor processes records whose unit it has given away",
            replace("donor.forward(record);", "process(record);")),
    LATE_RECORDS_ARE_DROPPED(
            "A donor drops records whose unit it has given away",
            replace("donor.forward(record);", ";")),
    PASSED_BEFORE_FORWARDED(
            "A donor says that a channel is passed before it forwards the last records of it",
            replace(
                    "forward(receiver, Priority.CONTROL, unit, record);",
                    "forward(receiver, Priority.BULK, unit, record);")),
    QUEUED_RECORDS_FOLLOW_THEIR_UNIT(
            "Records that wait at a donor for the cut are forwarded after their unit, not before"
                    + " it",
            replace(
                    "recordsForwarded++; port.forwardAhead(units.peer(record.unit()),"
                            + " record.unit(), record);",
                    ""),
            replace("sendIfHeld(record.unit());", "sendIfHeld(record.unit()); forward(record);")),
    QUEUED_RECORDS_IN_ANOTHER_PRIORITY(
            "Records that were queued at the donor may be overtaken by their unit",
            replace(
                    "forward(receiver, Priority.URGENT, unit, record);",
                    "forward(receiver, Priority.CONTROL, unit, record);")),
    RECEIVER_DOES_NOT_WAIT(
            "A receiver does not wait for the donor to pass the marker of a channel",
            replace("return singleUpstream || passed == null ||", "return true ||")),
    PASSED_COUNTS_FOR_ALL_CHANNELS(
            "A receiver takes the first PASSED of a donor for all channels",
            replace(
                    "passedAtDonor.get(donor).set(channel);",
                    "passedAtDonor.get(donor).set(0, 64);")),
    WATERMARK_NOT_CAPPED(
            "The watermark of a receiver is not held back",
            replace("inputs.closeWatermark();", "")),
    MARKER_IS_NO_CUT_IN_EVENT_TIME(
            "With one upstream, units leave and come although a watermark is between",
            replace(
                    "singleUpstream = start.singleUpstream; this.units",
                    "singleUpstream = false; this.units"),
            replace("singleUpstream = start.singleUpstream; }", "singleUpstream = false; }")),
    HELD_BACK_WATERMARK_IS_OVERTAKEN(
            "With one upstream, records overtake a watermark that has to wait for units",
            replace(
                    "if (singleUpstream && backlog.holdsBack()) { backlog.holdBack(record); } else"
                            + " if (backlog.isEmpty() && !readsAhead()) {",
                    "if (backlog.isEmpty() && !readsAhead()) {")),
    WATERMARK_OF_RECEIVERS_IGNORED(
            "A donor gives units although it lags behind the receivers",
            replace("return watermark >= watermarkOfReceivers;", "return true;")),
    WATERMARKS_NOT_ALIGNED(
            "A receiver that gives later may lag behind one that takes from it",
            replace("if (receives) {", "if (false) {")),
    WATERMARK_ALIGNED_IN_STEP(
            "The controller lets receivers rise while a step runs",
            replace(
                    "alignment.align(watermarkOfReceivers, subtask -> !part.get(subtask));",
                    "alignment.align(Long.MAX_VALUE, subtask -> true);")),
    TIME_OF_KEYS_LEFT_BEHIND(
            "A unit travels without the event time that its keys had reached",
            replace("long time = subtask.times().of(unit);", "long time = Long.MIN_VALUE;")),
    TIME_OF_KEYS_LOST_WHEN_THEY_MOVE_ON(
            "A unit that goes on before the watermark has reached its time travels with the"
                    + " watermark",
            96_000,
            replace(
                    "long time = subtask.times().of(unit);",
                    "long time = subtask.emittedWatermark();")),
    TIME_OF_KEYS_FORGOTTEN_EARLY(
            "What units have brought is forgotten when the watermark rises, not when it has passed"
                    + " all of that",
            replace("if (floors != null && newWatermark >= highest) {", "if (floors != null) {")),
    TIME_OF_FIRST_KEYS_COUNTS(
            "What units have brought is forgotten when the watermark has passed what the first of"
                    + " them has",
            replace("highest = Math.max(highest, time);", "")),
    TIME_OF_ONE_UNIT_FOR_ALL(
            "The highest time that a unit has brought counts for all keys",
            replace("Math.max(watermark, floors[unit]);", "Math.max(watermark, highest);")),
    TIME_OF_KEYS_WITHOUT_WATERMARK(
            "Keys stay at the time that they have brought although the watermark passes that",
            replace(
                    "Math.max(watermark, floors[unit]);",
                    "Math.max(floors[unit], Long.MIN_VALUE + 1);")),
    FORMAT_OF_STATE_NOT_PASSED_ON(
            "New subtasks write their state in the format of the code, whatever was restored",
            replace(
                    "return job.deploy(vertex, scaling.from, scaling.to, stateFormat);",
                    "return job.deploy(vertex, scaling.from, scaling.to, new byte[1]);")),
    TIMERS_LEFT_BEHIND(
            "A unit travels without its timers",
            replace(
                    "return units.remove(unit);",
                    "SimulatedUnit state = units.remove(unit);\n"
                            + "SimulatedUnit ghost = state.copy();\n"
                            + "ghost.folds.clear();\n"
                            + "ghost.broadcasts.clear();\n"
                            + "state.timers.clear();\n"
                            + "units.put(unit, ghost);\n"
                            + "return state;")),
    TIMERS_COPIED(
            "A unit travels with its timers, and the donor keeps a copy of them",
            replace(
                    "return units.remove(unit);",
                    "SimulatedUnit state = units.remove(unit);\n"
                            + "SimulatedUnit ghost = state.copy();\n"
                            + "ghost.folds.clear();\n"
                            + "ghost.broadcasts.clear();\n"
                            + "units.put(unit, ghost);\n"
                            + "return state;")),
    UNIT_DROPPED(
            "The first unit on a link gets lost",
            replace(
                    "send(peer, priority, message.withHandover(handovers.handOver(step)));",
                    "handovers.handOver(step);")),
    UNIT_DELIVERED_TWICE(
            "Each unit arrives twice",
            replace(
                    "send(peer, priority, message.withHandover(handovers.handOver(step)));",
                    "PeerMessage units = message.withHandover(handovers.handOver(step));\n"
                            + "send(peer, priority, units);\n"
                            + "send(peer, priority, units);")),
    REQUESTS_DROPPED(
            "Requests get lost; a step must end all the same: no fault",
            replace("exchange.send(donor, PeerMessage.request(exchange.step(), unit));", "")),
    REQUESTS_DELIVERED_TWICE(
            "Requests arrive twice: no fault",
            replace(
                    "exchange.send(donor, PeerMessage.request(exchange.step(), unit));",
                    "exchange.send(donor, PeerMessage.request(exchange.step(), unit));\n"
                            + "exchange.send(donor, PeerMessage.request(exchange.step(), unit));")),
    LINK_NOT_IN_ORDER(
            "Messages of a link overtake each other",
            replace(
                    "waiting.put(sequence, message);",
                    "waiting.put(sequence, null); port.deliver(index, priority, message);"),
            replace(
                    "port.deliver(index, priority, entry.getValue());",
                    "if (entry.getValue() != null) { port.deliver(index, priority,"
                            + " entry.getValue()); }")),
    EARLY_MESSAGES_DROPPED(
            "Messages of a step that has not begun here are dropped instead of kept",
            replace(
                    "early.add(message);",
                    "messaging.onMessage(message.from(), message.priority(), message.sequence(),"
                            + " message.content());"),
            replace(
                    "if (message.isOutdated(step)) {",
                    "if (message.isOutdated(step) || message.step() > step) {")),
    MARKER_TOO_LATE(
            "An upstream routes anew some time before it broadcasts the marker",
            replace("route(moves); mark(moves);", "route(moves);\nlater(12, () -> mark(moves));")),
    MARKER_TOO_EARLY(
            "An upstream broadcasts the marker some time before it routes anew",
            replace("route(moves); mark(moves);", "mark(moves);\nlater(12, () -> route(moves));")),
    SWITCH_BEFORE_STARTED(
            "Upstreams switch before all donors and receivers have begun the step",
            replace(
                    "failAfterStepTimeout(); Map<Integer, TaskCommand.Peer> peers =",
                    "failAfterStepTimeout();\n"
                            + "sendUpstream(new TaskCommand.Switch(scaling.id, scaling.vertex.inputs(),"
                            + " moves), null); Map<Integer, TaskCommand.Peer> peers =")),
    BACKLOG_NOT_ADOPTED(
            "A rescale drops what the one before has left in the backlog",
            replace("elements.addAll(previous.elements);", "")),
    GRANT_BEFORE_MARKER(
            "A donor says that it has passed all markers when a step begins",
            replace(
                    "broadcasts.startStep(step.donor() == subtask);",
                    "broadcasts.startStep(step.donor() == subtask);\n"
                            + "for (int c : donor.isDonor() ? channels.open() : new int[0]) {"
                            + " pass(c); }"),
            replace(
                    "boolean areAllPassed() {",
                    "int[] open() { return open.stream().toArray(); }\n"
                            + "boolean areAllPassed() {"),
            replace(
                    "if (isStepRunning() && units.step().step() == step) {",
                    "if (isStepRunning() && units.step().step() == step"
                            + " && !channels.isPassed(channel)) {")),
    ACKNOWLEDGED_BEFORE_HANDLED(
            "A receiver acknowledges the highest message that it has seen, and so those before it",
            replace(
                    "next[i] = peer.incoming.get(i).nextSequence;",
                    "Incoming of = peer.incoming.get(i);\n"
                            + "next[i] = of.waiting.isEmpty() ? of.nextSequence : of.waiting.lastKey()"
                            + " + 1;")),
    SENT_COUNTS_AS_ACKNOWLEDGED(
            "A donor takes a unit as acknowledged some time after it has sent it",
            replace(
                    "port.transmit(index, priority, sent.sequence, sent.message); } } return left;",
                    "} } onAcknowledgement(nextSequence, nowNanos); return left;")),
    NO_FENCING(
            "Messages and reports of former attempts and rescales are taken as those of today",
            replace("if (!message.rescale().equals(rescale)) {", "if (false) {"),
            replace(
                    "!message.sender().equals(attempts.get(message.from()))",
                    "!attempts.containsKey(message.from())"),
            replace("if (message.isOutdated(step)) {", "if (false) {"),
            replace("inboxes.get(to);", "world.master().elastic(index);"),
            replace("throw new AssertionError(\"a message makes no sense\");", "")),
    CHECKPOINT_IN_STEP(
            "Checkpoints are not held back while a step runs",
            replace("if (closed == null) { closed = new CompletableFuture<>(); }", "")),
    CHECKPOINT_NOT_AWAITED(
            "A rescale does not wait for the end of a checkpoint that is on its way",
            replace("return onTheirWay.areDone();", "return true;")),
    STANDING_CHECKPOINT_NOT_AWAITED(
            "A rescale goes on while a checkpoint is on its way that stands, and does not abort it",
            replace(
                    "private long lastPassed = -1;",
                    "private long lastPassed = -1; private Set<Long> standing = new"
                            + " java.util.HashSet<>();"),
            replace(
                    "abortRunning(\"a rescale waits for it, and it stands behind a backlog\", true);",
                    "standing.addAll(onTheirWay.ids());"),
            replace(
                    "return onTheirWay.areDone();",
                    "return onTheirWay.areDone() || standing.containsAll(onTheirWay.ids());")),
    ABORTED_AGAIN_AND_AGAIN(
            "Each checkpoint that stands is aborted, so that the job gets no recovery point",
            replace("aborted = true; aborts++;", "aborts++;")),
    BARRIER_OVERTAKES_BACKLOG(
            "A barrier overtakes what waits in the backlog",
            replace("return (!hasBacklog() || readsAhead()) && !isFull();", "return !isFull();")),
    READ_AHEAD_MEMORY_KEPT(
            "A task that is gone keeps its part of the memory for what is read ahead",
            replace("settings.memory.use(0); if (rescale != null) {", "if (rescale != null) {")),
    BARRIER_BEFORE_POSITION(
            "A source takes its position some time after it has emitted the barrier",
            replace(
                    "broadcast(SimulatedElement.barrier(index, checkpoint.id));"
                            + " acknowledge(checkpoint);",
                    "broadcast(SimulatedElement.barrier(index, checkpoint.id));\n"
                            + "if (position < elements.size()) { later(3, () ->"
                            + " acknowledge(checkpoint)); } else { acknowledge(checkpoint); }")),
    COMMIT_BEFORE_COMPLETION(
            "Sinks commit when they take part in a checkpoint, not when it is complete",
            replace(
                    "into.transactions.addAll(pending.values());",
                    "into.transactions.addAll(pending.values()); onComplete(checkpoint);")),
    TIMERS_NOT_IN_CHECKPOINT(
            "Timers are not in checkpoints",
            replace(
                    "SimulatedUnit copy = state.copy();",
                    "SimulatedUnit copy = state.copy();\ncopy.timers.clear();")),
    FORGOTTEN_ASSIGNMENT(
            "After a restart upstreams route as if there had been no rescale",
            replace(
                    "subGroups, assignment, activations,",
                    "subGroups, Assignment.contiguous(maxParallelism, connected), activations,")),
    ELASTICITY_NOT_RESTORED(
            "A new JobManager does not restore what the checkpoint has stored",
            replace("vertex.settle(place.assignment, place.parallelism);", "")),
    SOURCES_START_ANEW(
            "After a restart sources begin anew",
            replace("from == null ? 0 : from.positions[u];", "0;")),
    LEAVES_UNCONFIRMED(
            "A subtask leaves without a checkpoint",
            replace("if (checkpoints().isEnabled()) {", "if (false) {")),
    SAVEPOINT_AWAITED(
            "A subtask that leaves waits to be told of a savepoint",
            replace("if (!coordinator.isRecoveredFrom(checkpoint)) {", "if (false) {")),
    SAVEPOINT_COUNTS_AS_RECOVERY_POINT(
            "A checkpoint that stands is aborted as if the job could restart from a savepoint",
            replace(
                    "if (failure == null && coordinator.isRecoveredFrom(checkpoint)) {",
                    "if (failure == null) {")),
    UNALIGNED_IN_RESCALE(
            "A checkpoint may be unaligned while a rescale runs",
            replace("if (rescaling) { return; } (settled ?", "(settled || rescaling ?")),
    UNALIGNED_TOO_EARLY(
            "A checkpoint may be unaligned as soon as a rescale has ended",
            replace("settled = false; behindRescale.clear();", "settled = true;")),
    RECORDS_IN_FLIGHT_IGNORED(
            "A rescale begins although a restart would restore an unaligned checkpoint",
            replace("} else if (nothingInFlight) {", "} else if (true) {")),
    LIST_STATE_FORGOTTEN(
            "The list state of subtasks that have left is not in later checkpoints",
            replace("carry.run(); listener", "listener")),
    LIST_STATE_CARRIED_FOR_GOOD(
            "Checkpoints go on carrying list state that a restart has redistributed",
            replace("set(vertex, none);", "")),
    ABSENT_NOT_ACKNOWLEDGED(
            "A checkpoint waits for subtasks that are not active",
            replace("(coordinator.inactive())", "()")),
    FORMER_NOT_ACKNOWLEDGED(
            "A checkpoint waits for a subtask that leaves",
            replace(
                    "subtask -> acknowledgements.onLeaving(scheduler.attempt(subtask))",
                    "subtask -> {}")),
    ACKNOWLEDGED_FOR_OTHERS_ONCE(
            "Only the first checkpoint is acknowledged for those who cannot",
            replace("begun.contains(checkpoint)", "!begun.isEmpty()")),
    INACTIVE_SUBTASKS_NOT_FINISHED(
            "A job waits for subtasks that are not active when all others have finished",
            replace("inactive.forEach(job::finish);", "")),
    RESCALE_ABANDONED_TOO_EARLY(
            "A rescale is dropped when the first task finishes, not the last one",
            replace("} else if (!job.isFinished(subtask)) { return; }", "}")),
    RESCALE_BEGINS_WHILE_STOPPING(
            "A rescale begins while the job is being stopped", replace("blocks.add(block);", "")),
    RECEIVERS_NOT_AWAITED(
            "The controller goes on when the donors have completed a step; units may be on their"
                    + " way",
            replace(
                    "await(scaling.attempt(subtask), \"completed\");",
                    "boolean gives = moves.donor() == subtask;\n"
                            + "for (int i = 0; i < moves.size(); i++) {\n"
                            + "    gives |= moves.from(i) == subtask;\n"
                            + "}\n"
                            + "if (gives) { await(scaling.attempt(subtask), \"completed\"); }")),
    EARLY_COMPLETION_IGNORED(
            "The controller ignores that a subtask completes a step before it has heard of all"
                    + " starts",
            replace("completedEarly.add(new Early(task, report));", "")),
    END_OF_UPSTREAM_NOT_NOTICED(
            "The controller does not hear that an upstream ends before new subtasks are connected",
            replace("if (isMissedByNewSubtasks(task)) {", "if (false) {"),
            replace("current.onFinished(task);", ""),
            replace("return new JobReadiness(context).isEnding(vertex);", "return false;")),
    REPEATED_COMMANDS_ARE_CARRIED_OUT(
            "A task carries out a command once more that is sent again as it was not confirmed in"
                    + " time",
            replace("return !known.add(key);", "return false;")),
    REPORTS_NOT_REPEATED(
            "A report that is not confirmed is not sent again",
            replace("first < end && !repeatScheduled", "false")),
    REPORTS_CONFIRMED_UNHEARD(
            "A report counts as confirmed although nobody has answered",
            replace("if (failure == null) { for", "if (true) { for")),
    LOST_END_HINDERS_NEXT_BEGINNING(
            "A rescale does not begin where the end of the one before has not been heard of",
            replace(
                    "end(rescale.id());",
                    "throw new MigrationProtocolException(\"a rescale begins while another one"
                            + " runs\");")),
    END_ONLY_WHERE_BEGUN(
            "A rescale that is given up ends only where its beginning has been reported",
            replace("return told;", "return addresses.keySet();")),
    END_IS_NO_MARKER(
            "The end of a channel does not count as its marker",
            replace(
                    "channels.end(channel); if (isStepRunning() && !channels.isPassed(channel)) {"
                            + " pass(channel); } else {",
                    "{")),
    BROADCAST_NOT_HELD_BACK_AT_DONOR(
            "A donor processes broadcast records behind the cut before its units have left",
            replace(
                    "return units.areToLeave() || units.areToCome() || isHandover();",
                    "return units.areToCome() || isHandover();")),
    BROADCAST_NOT_HELD_BACK_AT_RECEIVER(
            "A receiver processes broadcast records behind the cut before its units have arrived",
            replace(
                    "return units.areToLeave() || units.areToCome() || isHandover();",
                    "return units.areToLeave() || isHandover();")),
    UNIT_LEAVES_BEFORE_CUT(
            "A donor gives units before it has processed all broadcast records before the cut",
            replace(
                    "if (mayLeave && broadcasts.isAtCut()) {",
                    "if (mayLeave && (!singleUpstream || broadcasts.isAtCut())) {")),
    UNIT_INSTALLED_BEFORE_CUT(
            "A receiver installs units before it has processed all broadcast records before the"
                    + " cut",
            replace(
                    "public boolean mayInstall() { return broadcasts.isAtCut(); }",
                    "public boolean mayInstall() { return isStepRunning() && (!singleUpstream ||"
                            + " broadcasts.isAtCut()); }")),
    HANDOVER_BEFORE_CUT(
            "Broadcast state is handed over before all broadcast records before the cut are in it",
            replace("if (stateToSend && isAtCut()) {", "if (stateToSend) {")),
    NEW_SUBTASK_IGNORES_NOTHING(
            "A new subtask processes broadcast records that are in the state handed over, too",
            replace(
                    "if (!isNew || channels.isPassed(record.channel())) { onElement(record); }",
                    "onElement(record);")),
    NEW_SUBTASK_DOES_NOT_WAIT(
            "A new subtask does not keep the broadcast records that come before the state",
            replace(
                    "return units.areToLeave() || units.areToCome() || isHandover();",
                    "return units.areToLeave() || units.areToCome() || stateToSend;")),
    HANDED_OVER_LEFT_OUT(
            "A donor does not tell its consumers that it has handed units over",
            replace("events += port.handedOver(handover);", "")),
    HANDED_OVER_TOO_EARLY(
            "A donor says that it has handed units over before it has emitted their last results",
            replace(
                    "port.handedOver(handover);",
                    "port.handedOver(new Handover(step, Integer.MAX_VALUE));")),
    TAKEN_OVER_LEFT_OUT(
            "A receiver does not tell its consumers that it has taken units over",
            replace("events += port.takenOver(donor, handover);", "")),
    TAKEN_OVER_TOO_LATE(
            "A receiver says that it has taken units over after it has emitted a result",
            replace(
                    "new Handovers(environment.consumers());",
                    "new Handovers(\n"
                            + "new Handovers.Port() {\n"
                            + "    @Override\n"
                            + "    public int handedOver(io.meces.core.exchange.Handover place)\n"
                            + "            throws java.io.IOException {\n"
                            + "        return environment.consumers().handedOver(place);\n"
                            + "    }\n"
                            + "    @Override\n"
                            + "    public int takenOver(int donor,"
                            + " io.meces.core.exchange.Handover place) {\n"
                            + "        thread.execute(() -> environment.consumers().takenOver(donor,"
                            + " place), \"late\");\n"
                            + "        return 1;\n"
                            + "    }\n"
                            + "});")),
    TAKEN_OVER_WITH_ANOTHER_NUMBER(
            "A receiver names an earlier handover than that of the unit",
            replace(
                    "port.takenOver(donor, handover);",
                    "port.takenOver(donor, new Handover(handover.step(), handover.number() -"
                            + " 1));")),
    CONSUMER_DOES_NOT_WAIT(
            "A consumer does not wait for the donor before it reads results of a receiver",
            replace("if (!isReached(donorChannel, handover)) {", "if (false) {")),
    KEPT_IS_OVERTAKEN(
            "A consumer reads what it has kept of a channel after what came later",
            replace(
                    "return !waiting.get(channel) && !readable.get(channel);",
                    "return !waiting.get(channel);")),
    OLD_BARRIER_HOLDS_DONOR(
            "A channel that waits for a donor does not count as having brought its old barriers",
            replace("boolean more = !waiting.isEmpty();", "boolean more = false;")),
    UNIT_SENT_BEFORE_DRAIN(
            "A donor sends a unit although its sink has not written all results of it",
            replace("if (drain.holdsBack()) {", "if (false) {")),
    DRAIN_COUNTS_FOR_LATER_UNITS(
            "A drain counts for units that have been taken out of the state while it ran",
            replace(
                    "drained.addAll(draining);",
                    "drained.addAll(draining); drained.addAll(undrained); undrained.clear();")),
    SCHEMA_COUNTS_FOR_ALL_PRIORITIES(
            "A schema is sent once to a receiver, not in each priority",
            replace("return peer * Priority.COUNT + priority.ordinal();", "return peer;")),
    CHUNK_READ_WITH_NEW_SCHEMA(
            "A new schema is sent before the units that wait in a chunk",
            replace("flush(true, false); schemas.put(", "schemas.put(")),
    LAST_CHUNK_NOT_SENT(
            "A chunk that nothing fills is not sent",
            replace("|| mustFlush()", ""),
            replace(
                    "exchange.flush(!migration.canPush(), receiver >= 0);",
                    "exchange.flush(false, true);")),
    RECORD_BEFORE_ITS_DATA(
            "A record is processed although the data of its key has not come",
            replace("return !completing && here.contains(key);", "return true;")),
    CHUNK_OVERWRITES_FETCHED_KEY(
            "A chunk of the background is put over a key that was fetched, and may have changed",
            replace("chunks, of.fetched,", "chunks, new FetchedKeys(),")),
    COMPLETION_OVERWRITES_FETCHED_KEY(
            "What the background brings in the end is put over a key that was fetched",
            replace(
                    "data.complete(of.keyGroup, of.fetched.all(),",
                    "data.complete(of.keyGroup, new FetchedKeys().all(),")),
    ANSWER_WHILE_CHUNK_IS_PUT_IN(
            "A key is put in although it is being put in with a chunk",
            replace("return !held.test(key);", "return true;")),
    FETCHED_KEY_NOT_TOLD(
            "Whoever puts in chunks is not told of a key that comes meanwhile",
            replace("keys.add(key); return", "return")),
    FILE_WITH_FETCHED_KEY(
            "Chunks are put in as they were prepared, although one of their keys has come",
            replace("if (isWhole) {", "if (true) {")),
    HELD_TOO_LATE(
            "Whoever puts in a chunk says so after looking whether its key has come",
            replace("fetched.hold(key::equals); soon(", "soon("),
            replace(
                    "install(chunk, skipped); release(keyGroup, fetched);",
                    "fetched.hold(key::equals); install(chunk, skipped);"
                            + " release(keyGroup, fetched);")),
    WAITING_ANSWER_LOST(
            "An answer that came while its key was to be put in with a chunk is dropped",
            replace("of.answers.add(key);", "")),
    WAITING_ANSWER_NOT_AWAITED(
            "A key-group is complete although answers wait that came while it was being put in",
            replace(
                    "listener.afterData(); installAllChunks(); setPace();",
                    "List<KeyCodec.KeyData> waiting = new ArrayList<>(of.answers);"
                            + " of.answers.clear(); listener.afterData(); installAllChunks();"
                            + " of.answers.addAll(waiting); setPace();")),
    ANSWER_OVERWRITES_KEY(
            "A second answer is put over a key that may have changed since the first one",
            replace("if (!of.here.add(key.key)) { return; }", "of.here.add(key.key);"),
            replace(
                    "exchange.send(of.donor, PeerMessage.keyRequest(exchange.step(), unit,"
                            + " KeyCodec.write(missing)));",
                    "for (int i = 0; i < 2; i++) { exchange.send(of.donor,"
                            + " PeerMessage.keyRequest(exchange.step(), unit,"
                            + " KeyCodec.write(missing))); }")),
    ANSWER_AFTER_COMPLETION(
            "An answer is put over a key that has come with the background meanwhile",
            replace(
                    "if (of == null) { // it has come by the stream meanwhile, and may have changed"
                            + " since\n return; }",
                    "if (of == null) {\n"
                            + "    for (KeyCodec.KeyData key : KeyCodec.readData(keys)) {\n"
                            + "        data.installKey(unit / subGroups, key.key, key.data);\n"
                            + "    }\n"
                            + "    return;\n"
                            + "}")),
    KEYS_ASKED_FOR_TWICE(
            "Keys are asked for twice: no fault",
            replace(
                    "exchange.send(of.donor, PeerMessage.keyRequest(exchange.step(), unit,"
                            + " KeyCodec.write(missing)));",
                    "for (int i = 0; i < 2; i++) { exchange.send(of.donor,"
                            + " PeerMessage.keyRequest(exchange.step(), unit,"
                            + " KeyCodec.write(missing))); }")),
    KEY_REQUESTS_DROPPED(
            "Requests of keys get lost; the background brings them all the same: no fault",
            replace(
                    "exchange.send(of.donor, PeerMessage.keyRequest(exchange.step(), unit,"
                            + " KeyCodec.write(missing)));",
                    "")),
    CHUNK_BEFORE_ITS_UNITS(
            "A chunk is put in before all units of its key-group",
            replace(
                    "return !busy && !completing && unitsMissing == 0;",
                    "return !busy && !completing;")),
    STREAM_BEFORE_ALL_UNITS_HAVE_LEFT(
            "A key-group is streamed as soon as one unit of it has left; others may change",
            replace(
                    "if (of.sent.cardinality() == subGroups &&",
                    "if (of.sent.cardinality() > 0 &&")),
    DATA_NOT_DROPPED(
            "A donor keeps the data that it has given",
            replace("data.drop(keyGroup, () -> onDropped(keyGroup));", "onDropped(keyGroup);")),
    DATA_GOES_UNAWAITED(
            "A donor that has given all data does not wait until it is deleted",
            replace("&& sender.isDataGone()) {", "&& !sender.givesData()) {")),
    DATA_ENDS_EARLY(
            "A donor says that it has sent all data when it has sent a part",
            replace(
                    "if (of.stream.isAtEnd()) { of.ended = true;",
                    "if (chunk != null || of.stream.isAtEnd()) { of.ended = true;")),
    DATA_DROPPED_BEFORE_IT_IS_PUT_IN(
            "A donor drops what it has sent, and whoever needs a key waits until all is put in:"
                    + " no fault",
            replace(
                    "exchange.sendDataEnd(of.receiver, of.keyGroup);",
                    "exchange.sendDataEnd(of.receiver, of.keyGroup);"
                            + " onDataInstalled(of.keyGroup);"),
            replace(
                    "exchange.send(of.donor, PeerMessage.dataInstalled(exchange.step(),"
                            + " of.keyGroup));",
                    "")),
    INSTALLED_NOT_TOLD(
            "A donor is not told that all of a key-group has been put in",
            replace(
                    "exchange.send(of.donor, PeerMessage.dataInstalled(exchange.step(),"
                            + " of.keyGroup));",
                    "")),
    END_OVERTAKES_CHUNKS(
            "The end of a key-group's data overtakes its last chunks",
            replace(
                    "send(peer, Priority.BULK, PeerMessage.dataEnd(step, keyGroup));",
                    "send(peer, Priority.URGENT, PeerMessage.dataEnd(step, keyGroup));")),
    DATA_REPORTED_EARLY(
            "A receiver says that it has all data when it has all units",
            replace(
                    "&& !receiver.isIncomplete() && sender.isDataGone()) {",
                    "&& sender.isDataGone()) {")),
    NOT_SETTLED(
            "A subtask whose data has come does not wait until that is settled",
            replace("data.settle(this::settled);", "data.settle(() -> {}); settled();")),
    SETTLED_BEFORE_ALL_DATA(
            "A subtask gets ready for a checkpoint although its data is still to come or to go",
            replace(
                    "if (exchange.step() == step && (dataDone || !takesPart)) {",
                    "if (exchange.step() == step) {")),
    GATHERS_TO_THE_LAST(
            "Chunks wait until there are enough, also if none comes any more",
            replace("} else if (data.hasRoom()) {", "} else if (false) {")),
    GATHERED_IN_PART(
            "Of the chunks that are put in together only the key of the first one waits",
            replace(
                    "fetched.hold(between(chunks));",
                    "fetched.hold(between(chunks.subList(0, 1)));")),
    DATA_NOT_AWAITED(
            "The controller goes on when all units of a step have moved, not all data",
            replace("awaitingData.add(task);", "")),
    PARKED_OUT_OF_ORDER(
            "Records that waited for the data of their key are processed in reverse",
            replace(
                    "missing -= bay.records.size();",
                    "missing -= bay.records.size();\n"
                            + "java.util.Collections.reverse(bay.records);")),
    PARKED_FORGOTTEN(
            "Records that wait are not processed when their key comes with the background",
            replace("parked.unparkAll(keyGroup);", "")),
    READY_RECORDS_OVERTAKEN(
            "A record overtakes others of its key, whose data has come and which are still to be"
                    + " processed",
            42_700,
            replace("if (parked.isReady(key)) {", "if (false) {")),
    WATERMARK_PASSES_READY_RECORDS(
            "The watermark rises although records that came before it are still to be processed",
            replace("return takenSoFar() >= mark.ready;", "return true;")),
    COMPLETE_BEFORE_READY_RECORDS(
            "Data counts as complete although records that waited for it are still to be processed",
            replace("!installer.isDone() || canProcess()) {", "!installer.isDone()) {")),
    WATERMARK_RISES_BY_ITSELF(
            "The watermark is not held back while data is to come",
            replace("closed = true; host.closeWatermark();", "closed = true;")),
    WATERMARK_PASSES_SLEEPING_TIMERS(
            "The watermark rises although timers sleep that are due",
            replace("installer.request(sleepers); return sleepers.isEmpty();", "return true;")),
    WATERMARK_PASSES_PARKED_RECORDS(
            "The watermark rises although records wait that came before it",
            replace(
                    "if (!bays.isEmpty() && bays.values().iterator().next().number < mark.parked) {",
                    "if (false) {")),
    WATERMARK_DOES_NOT_GO_ON(
            "Watermarks wait for all data, however long that takes: no fault",
            replace(
                    "&& mayRise(rises.peek())) {",
                    "&& installer.isDone() && mayRise(rises.peek())) {")),
    WAITING_WATERMARK_IS_OVERTAKEN(
            "With one upstream, records overtake a watermark that waits for data",
            replace("if (singleUpstream && hasRises()) {", "if (false) {")),
    BROADCAST_BEFORE_ALL_DATA(
            "A broadcast record is processed before the data of all keys is here",
            replace(
                    "return incoming.values().stream().anyMatch(of -> of.unitsMissing < subGroups);",
                    "return false;")),
    PACE_IGNORED(
            "A donor goes on although a receiver has no room: no fault",
            replace("paused.set(receiver, !more);", "")),
    ANSWER_OF_ANOTHER_THREAD_IS_NOT_REPEATED(
            "A message that is sent when another thread has read its data is repeated only if"
                    + " something else is, or happens",
            1_089_500,
            replace("repeat.schedule();", "")),
    LEAVES_WITH_BACKLOG(
            "A subtask ends its input although elements wait in its backlog",
            replace(
                    "if (migration == null) { end.run(); } else {",
                    "if (true) { end.run(); } else {")),
    REPLACED_SUBTASK_IS_NOT_AWAITED(
            "A checkpoint begins that waits for an attempt which has been replaced",
            39_000,
            replace(
                    "return coordinator.active().stream() .noneMatch(attempt ->"
                            + " coordinator.isAcknowledgedBy(checkpoint, attempt));",
                    "return true;"));

    private static final Set<Variant> HARMLESS =
            EnumSet.of(
                    SOUND,
                    REQUESTS_DROPPED,
                    REQUESTS_DELIVERED_TWICE,
                    KEY_REQUESTS_DROPPED,
                    DATA_DROPPED_BEFORE_IT_IS_PUT_IN,
                    KEYS_ASKED_FOR_TWICE,
                    WATERMARK_DOES_NOT_GO_ON,
                    PACE_IGNORED);

    private final String description;
    private final long firstSeed;
    private final List<Mutant.Replacement> replacements;

    Variant(String description, Mutant.Replacement... replacements) {
        this(description, 0, replacements);
    }

    Variant(String description, long firstSeed, Mutant.Replacement... replacements) {
        this.description = description;
        this.firstSeed = firstSeed;
        this.replacements = Arrays.asList(replacements);
    }

    private static Mutant.Replacement replace(String fragment, String by) {
        return new Mutant.Replacement(fragment, by);
    }

    /** What is wrong. */
    String description() {
        return description;
    }

    /** From where to look: of one that takes very many seeds, shortly before it is caught. */
    long firstSeed() {
        return firstSeed;
    }

    /** Whether everything must still be right. */
    boolean isHarmless() {
        return HARMLESS.contains(this);
    }

    /** The sources that are broken so, by type. */
    Map<String, String> sources() throws IOException {
        return Mutant.sources(replacements);
    }

    /** A world of its own that is broken so: tells what is wrong with a seed there, or null. */
    @SuppressWarnings("unchecked")
    LongFunction<Throwable> world() throws IOException, ReflectiveOperationException {
        return (LongFunction<Throwable>) call(Seeds.class, "all");
    }

    /** Replays a seed in such a world; returns what a process is to exit with. */
    int replay(long seed, PrintStream out) throws IOException, ReflectiveOperationException {
        return (int) call(Simulate.class, "replay", seed, out);
    }

    private Object call(Class<?> type, String method, Object... arguments)
            throws IOException, ReflectiveOperationException {
        Class<?> mutated = new Mutant(replacements).loadClass(type.getName());
        for (Method candidate : mutated.getDeclaredMethods()) {
            if (candidate.getName().equals(method)
                    && candidate.getParameterCount() == arguments.length) {
                candidate.setAccessible(true);
                return candidate.invoke(null, arguments);
            }
        }
        throw new NoSuchMethodException(type + "." + method);
    }
}
