// SPDX-License-Identifier: Apache-2.0
package io.meces.cli.top;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.api.Elasticity;
import io.meces.api.RescaleCause;
import io.meces.api.RescaleDetails;
import io.meces.api.RescaleState;
import io.meces.api.RescaleStatus;
import io.meces.api.VertexChange;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class ScreenTest {

    private static final Instant NOW = Instant.parse("2026-11-24T12:30:05Z");

    private static final Elasticity NOTHING =
            new Elasticity(Collections.emptyList(), null, Collections.emptyList());

    private static JobSnapshot.Subtask subtask(int keyGroups, double records, double busy) {
        return new JobSnapshot.Subtask(keyGroups, records, records, busy, 0);
    }

    private static JobSnapshot job(List<JobSnapshot.Subtask> subtasks, RescaleDetails... all) {
        return new JobSnapshot(
                "00000000000000000000000000000001",
                "key-count",
                "RUNNING",
                Arrays.asList(
                        new JobSnapshot.Vertex(
                                "beef",
                                "Source: requests",
                                0,
                                Collections.singletonList(subtask(-1, 4_999.6, Double.NaN))),
                        new JobSnapshot.Vertex("cafe", "count -> Sink: results", 32, subtasks)),
                NOTHING,
                Arrays.asList(all));
    }

    private static List<String> lines(JobSnapshot job, int width, int height) {
        return Screen.lines(job, NOW, ZoneOffset.UTC, width, height);
    }

    @Test
    void showsVerticesARunningRescaleAndTheLastOnes() {
        RescaleDetails last =
                RescaleDetails.of("aa", RescaleStatus.FAILED)
                        .cause(RescaleCause.AUTOSCALER)
                        .vertices(change(2, 32))
                        .time(NOW.toEpochMilli() - 60_000, 10_000)
                        .failure("no slots for 30 more subtask(s)")
                        .build();
        RescaleDetails running =
                RescaleDetails.of("bb", RescaleStatus.RUNNING)
                        .state(RescaleState.MIGRATING)
                        .cause(RescaleCause.USER)
                        .vertices(change(2, 3))
                        .steps(1, 4)
                        .units(160, 320)
                        .unitsOnDemand(12)
                        .bytes(123_456)
                        .waits(3, 9_000, 5_200)
                        .missingSlots(2, NOW.toEpochMilli() + 90_000)
                        .time(NOW.toEpochMilli() - 500, 500)
                        .build();

        List<String> lines =
                lines(
                        job(
                                Arrays.asList(subtask(64, 2_511.5, 871), subtask(32, 2_488, 340)),
                                last,
                                running),
                        80,
                        40);

        assertThat(lines)
                .containsExactly(
                        "key-count  RUNNING                                                      12:30:05",
                        "00000000000000000000000000000001",
                        "Source: requests                             parallelism    1      5,000 out/s",
                        "count -> Sink: results                       parallelism    2 of 32",
                        "  subtask  key-groups          records/s   busy  parked",
                        "        0     64 ##########        2,512    87%       0",
                        "        1     32 #####             2,488    34%       0",
                        "",
                        "rescale bb  RUNNING MIGRATING",
                        "  count 2 -> 3",
                        "  [##########          ] steps 1 of about 4  units 160/320 (12 on demand)",
                        "  0.5 s  123 kB  longest wait of a record 5.2 ms",
                        "  waits for 2 more slot(s), is given up at 12:31:35",
                        "",
                        "last rescales                                duration  longest wait",
                        "  12:29:05  FAILED   count 2 -> 32             10.0 s        0.0 ms  AUTOSCALER",
                        "    no slots for 30 more subtask(s)");
    }

    private static List<VertexChange> change(int from, int to) {
        return Collections.singletonList(
                new VertexChange("cafe", "count -> Sink: results", from, to));
    }

    @Test
    void fitsIntoAnyScreen() {
        List<JobSnapshot.Subtask> many = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            many.add(subtask(i, i == 57 ? 9_999 : 10, Double.NaN));
        }
        for (int height : new int[] {1, 5, 24, 200}) {
            for (int width : new int[] {1, 20, 80, 200}) {
                assertThat(lines(job(many), width, height))
                        .hasSizeLessThanOrEqualTo(height)
                        .allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(width));
            }
        }
        // the busiest one is among those that are shown
        assertThat(lines(job(many), 80, 12))
                .anyMatch(line -> line.startsWith("       57 "))
                .anyMatch(line -> line.endsWith(" more"));
    }

    @Test
    void namesAreShortenedWhereThereIsLittleRoom() {
        assertThat(lines(job(Collections.singletonList(subtask(1, 1, 1))), 50, 24).get(3))
                .isEqualTo("count -> Si... parallelism    1 of 32");
    }

    @Test
    void whatIsNotKnownIsADash() {
        JobSnapshot.Subtask unknown =
                new JobSnapshot.Subtask(-1, Double.NaN, Double.NaN, Double.NaN, Double.NaN);
        assertThat(lines(job(Collections.singletonList(unknown)), 80, 24).get(5))
                .isEqualTo("        0      -                       -      -       -");
    }

    @Test
    void namesCannotMoveTheCursor() {
        JobSnapshot evil =
                new JobSnapshot(
                        "1",
                        "a\u001b[2Jb",
                        "RUNNING",
                        Collections.emptyList(),
                        NOTHING,
                        Collections.emptyList());
        assertThat(lines(evil, 80, 24).get(0)).startsWith("a [2Jb  RUNNING");
    }
}
