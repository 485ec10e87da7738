// SPDX-License-Identifier: Apache-2.0
package io.meces.benchmarks;

import io.meces.state.Compression;
import io.meces.state.HeapUnitStore;
import io.meces.state.MecesKeyedStateBackend;
import io.meces.state.UnitCompression;
import io.meces.state.UnitSchema;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;

/**
 * What compression of units saves and costs: the bytes, the processor time of donor and receiver,
 * and how long a whole state takes over a slow link. Owned by one thread.
 */
final class CompressionTable {

    private static final int SUB_GROUPS = 16;
    private static final int UNITS = Backends.KEY_GROUPS * SUB_GROUPS;
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final Compression compression;
    private final byte[][] bytes = new byte[UNITS][];
    private final DataOutputSerializer buffer = new DataOutputSerializer(1 << 20);
    private HeapUnitStore<Long> donor;
    private HeapUnitStore<Long> receiver;
    private int entries;

    private CompressionTable(StateShape shape, int keys, Compression compression) throws Exception {
        this.compression = compression;
        MecesKeyedStateBackend<Long> filled = Backends.meces(Backends.KEY_GROUPS, SUB_GROUPS);
        shape.fill(filled, keys);
        donor = filled.units();
        receiver = Backends.meces(Backends.KEY_GROUPS, SUB_GROUPS).units();
        for (int unit = 0; unit < UNITS; unit++) {
            entries += donor.entries(unit / SUB_GROUPS, unit % SUB_GROUPS);
        }
    }

    /**
     * Prints a table.
     *
     * @param divisor of the number of keys of each shape
     * @param rounds how often all units move; those of the first half are warm-up
     * @param bytesPerSecond what the link carries
     * @param linkRounds how often all move over the link
     */
    static void print(PrintWriter out, int divisor, int rounds, long bytesPerSecond, int linkRounds)
            throws Exception {
        out.printf("%nCompression; a link of %.0f Mbit/s%n%n", bytesPerSecond * 8 / 1e6);
        out.println(
                "| | | MB | left of it | extract us per entry | install us per entry"
                        + " | bytes / link, s | measured, s |");
        out.println("|---|---|---|---|---|---|---|---|");
        for (StateShape shape : StateShape.values()) {
            double uncompressed = 0;
            for (Compression compression : Compression.values()) {
                CompressionTable table =
                        new CompressionTable(shape, shape.keys / divisor, compression);
                Costs costs = table.measure(rounds);
                uncompressed = Math.max(uncompressed, costs.bytes);
                double[] seconds = new double[linkRounds];
                for (int i = 0; i < linkRounds; i++) {
                    seconds[i] = table.moveOver(bytesPerSecond);
                }
                out.printf(
                        "| %s | %s | %.1f | %.2f | %.3f | %.3f | %.2f | %.2f |%n",
                        shape.text,
                        compression,
                        costs.bytes / 1e6,
                        costs.bytes / uncompressed,
                        costs.extractNanos / 1e3 / table.entries,
                        costs.installNanos / 1e3 / table.entries,
                        costs.bytes / (double) bytesPerSecond,
                        median(seconds));
                out.flush();
            }
        }
    }

    private Costs measure(int rounds) throws Exception {
        int measured = rounds - rounds / 2;
        double[] extract = new double[measured];
        double[] install = new double[measured];
        Costs costs = new Costs();
        for (int round = 0; round < rounds; round++) {
            UnitSchema schema = schema();
            UnitCompression used = new UnitCompression(compression);
            long start = THREADS.getCurrentThreadCpuTime();
            costs.bytes = 0;
            for (int unit = 0; unit < UNITS; unit++) {
                bytes[unit] = extract(unit, used);
                costs.bytes += bytes[unit].length;
            }
            long extracted = THREADS.getCurrentThreadCpuTime();
            for (int unit = 0; unit < UNITS; unit++) {
                install(unit, bytes[unit], schema);
            }
            long installed = THREADS.getCurrentThreadCpuTime();
            if (round >= rounds / 2) {
                extract[round - rounds / 2] = extracted - start;
                install[round - rounds / 2] = installed - extracted;
            }
            swap();
        }
        costs.extractNanos = median(extract);
        costs.installNanos = median(install);
        return costs;
    }

    /** Seconds until all units have been installed, at the other end of a link. */
    private double moveOver(long bytesPerSecond) throws Exception {
        UnitSchema schema = schema();
        UnitCompression used = new UnitCompression(compression);
        try (SlowLink link = new SlowLink(bytesPerSecond)) {
            FutureTask<Void> sending =
                    new FutureTask<>(
                            () -> {
                                for (int unit = 0; unit < UNITS; unit++) {
                                    link.send(extract(unit, used));
                                }
                                return null;
                            });
            long start = System.nanoTime();
            new Thread(sending, "donor").start();
            for (int unit = 0; unit < UNITS; unit++) {
                byte[] received = link.receive();
                install(unit, received, schema);
                link.done(received.length);
            }
            sending.get(60, TimeUnit.SECONDS);
            swap();
            return (System.nanoTime() - start) / 1e9;
        }
    }

    private UnitSchema schema() throws Exception {
        buffer.clear();
        donor.writeSchema(buffer);
        return receiver.readSchema(new DataInputDeserializer(buffer.getCopyOfBuffer()));
    }

    private byte[] extract(int unit, UnitCompression used) throws IOException {
        buffer.clear();
        donor.extract(unit / SUB_GROUPS, unit % SUB_GROUPS, buffer, used);
        return buffer.getCopyOfBuffer();
    }

    private void install(int unit, byte[] state, UnitSchema schema) throws IOException {
        receiver.install(
                unit / SUB_GROUPS,
                unit % SUB_GROUPS,
                new DataInputDeserializer(state),
                schema,
                receiver.direct());
    }

    private void swap() {
        HeapUnitStore<Long> formerDonor = donor;
        donor = receiver;
        receiver = formerDonor;
    }

    private static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }

    /** Of moving all units once. */
    private static final class Costs {

        private long bytes;
        private double extractNanos;
        private double installNanos;
    }
}
