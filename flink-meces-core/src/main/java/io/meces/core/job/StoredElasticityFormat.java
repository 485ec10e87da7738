// SPDX-License-Identifier: Apache-2.0
package io.meces.core.job;

import io.meces.api.ParallelismBounds;
import io.meces.api.RescaleCause;
import io.meces.core.id.VertexId;
import io.meces.core.plan.Assignment;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * The form of {@link StoredElasticity} in checkpoints. Key-groups take two bytes each, as there are
 * at most 32,768 of them and as many subtasks. Stateless, for any thread.
 */
public final class StoredElasticityFormat {

    /** What {@link #serialize} writes. */
    public static final int VERSION = 2;

    /** It had no requirements, and no cause of a rescale. */
    private static final int WITHOUT_REQUIREMENTS = 1;

    private StoredElasticityFormat() {}

    /** The bytes for a checkpoint. */
    public static byte[] serialize(StoredElasticity stored) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeInt(stored.vertices().size());
        for (StoredElasticity.Vertex vertex : stored.vertices()) {
            write(vertex, out);
        }
        StoredElasticity.Rescale rescale = stored.rescale();
        out.writeBoolean(rescale != null);
        if (rescale != null) {
            out.writeLong(rescale.id.getMostSignificantBits());
            out.writeLong(rescale.id.getLeastSignificantBits());
            out.writeByte(rescale.cause.ordinal());
            out.writeLong(rescale.startTime);
            out.writeInt(rescale.batchSize);
            out.writeInt(rescale.attempt);
            out.writeInt(rescale.targets.size());
            for (StoredElasticity.Target target : rescale.targets) {
                write(target.origin, out);
                write(target.goal, out);
            }
        }
        out.writeInt(stored.requirements().size());
        for (Map.Entry<VertexId, ParallelismBounds> required : stored.requirements().entrySet()) {
            out.writeLong(required.getKey().upper());
            out.writeLong(required.getKey().lower());
            out.writeInt(required.getValue().lower());
            out.writeInt(required.getValue().upper());
        }
        return bytes.toByteArray();
    }

    /**
     * Reads what {@link #serialize} has written, or that of an earlier flink-meces.
     *
     * @throws IOException if it is of another version, or damaged
     */
    public static StoredElasticity deserialize(int version, byte[] serialized) throws IOException {
        if (version != VERSION && version != WITHOUT_REQUIREMENTS) {
            throw new IOException(
                    "The checkpoint stores the elasticity of the job in version "
                            + version
                            + ", of which this flink-meces knows nothing (it knows "
                            + WITHOUT_REQUIREMENTS
                            + " and "
                            + VERSION
                            + "). Start from a savepoint.");
        }
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(serialized));
        try {
            List<StoredElasticity.Vertex> vertices = new ArrayList<>();
            for (int left = in.readInt(); left > 0; left--) {
                vertices.add(readVertex(in));
            }
            StoredElasticity.Rescale rescale = in.readBoolean() ? readRescale(version, in) : null;
            Map<VertexId, ParallelismBounds> requirements =
                    version == WITHOUT_REQUIREMENTS ? Collections.emptyMap() : readRequirements(in);
            if (in.read() != -1) {
                throw new IOException("there are bytes left");
            }
            return new StoredElasticity(vertices, rescale, requirements);
        } catch (EOFException | IllegalArgumentException e) {
            throw new IOException("The elasticity of the job in the checkpoint is damaged", e);
        }
    }

    private static StoredElasticity.Rescale readRescale(int version, DataInputStream in)
            throws IOException {
        UUID id = new UUID(in.readLong(), in.readLong());
        RescaleCause cause = version == WITHOUT_REQUIREMENTS ? RescaleCause.USER : readCause(in);
        long startTime = in.readLong();
        int batchSize = in.readInt();
        int attempt = in.readInt();
        List<StoredElasticity.Target> targets = new ArrayList<>();
        for (int left = in.readInt(); left > 0; left--) {
            targets.add(new StoredElasticity.Target(readVertex(in), readVertex(in)));
        }
        return new StoredElasticity.Rescale(id, cause, startTime, batchSize, attempt, targets);
    }

    private static RescaleCause readCause(DataInputStream in) throws IOException {
        int cause = in.readUnsignedByte();
        if (cause >= RescaleCause.values().length) {
            throw new IllegalArgumentException("cause " + cause);
        }
        return RescaleCause.values()[cause];
    }

    private static Map<VertexId, ParallelismBounds> readRequirements(DataInputStream in)
            throws IOException {
        Map<VertexId, ParallelismBounds> requirements = new LinkedHashMap<>();
        for (int left = in.readInt(); left > 0; left--) {
            long upper = in.readLong();
            VertexId id = new VertexId(in.readLong(), upper);
            requirements.put(id, new ParallelismBounds(in.readInt(), in.readInt()));
        }
        return requirements;
    }

    private static void write(StoredElasticity.Vertex vertex, DataOutputStream out)
            throws IOException {
        out.writeLong(vertex.id.upper());
        out.writeLong(vertex.id.lower());
        out.writeInt(vertex.parallelism);
        int[] owners = vertex.assignment.toArray();
        out.writeInt(owners.length);
        for (int owner : owners) {
            out.writeShort(owner);
        }
    }

    private static StoredElasticity.Vertex readVertex(DataInputStream in) throws IOException {
        long upper = in.readLong();
        VertexId id = new VertexId(in.readLong(), upper);
        int parallelism = in.readInt();
        int keyGroups = in.readInt();
        if (keyGroups < 1 || keyGroups > 1 << 15) {
            throw new IllegalArgumentException(keyGroups + " key-groups");
        }
        int[] owners = new int[keyGroups];
        for (int k = 0; k < owners.length; k++) {
            owners[k] = in.readUnsignedShort();
        }
        return new StoredElasticity.Vertex(id, parallelism, Assignment.of(owners));
    }
}
